"""Transformers of scikit-learn whose fit reads public rows alone."""

from collections.abc import Callable
from copy import deepcopy
from typing import Any, Self, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse, vstack
from sklearn import decomposition, impute, kernel_approximation, preprocessing
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import FeatureUnion, Pipeline
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from semipriv.core.errors import PublicError
from semipriv.practice.estimators.door import withheld
from semipriv.practice.estimators.twice import check_other

__all__ = ["PublicPreprocessor"]

T = TypeVar("T")
_APART = frozenset(
    {
        preprocessing.Binarizer,
        preprocessing.KBinsDiscretizer,
        preprocessing.MaxAbsScaler,
        preprocessing.MinMaxScaler,
        preprocessing.Normalizer,
        preprocessing.OneHotEncoder,
        preprocessing.OrdinalEncoder,
        preprocessing.PolynomialFeatures,
        preprocessing.PowerTransformer,
        preprocessing.QuantileTransformer,
        preprocessing.RobustScaler,
        preprocessing.SplineTransformer,
        preprocessing.StandardScaler,
        impute.MissingIndicator,
        impute.SimpleImputer,
        decomposition.PCA,
        decomposition.TruncatedSVD,
        kernel_approximation.Nystroem,
        kernel_approximation.RBFSampler,
    }
)
"""Transformers whose ``transform`` is a function of each row and of what was fitted; exactly these types."""
_ROWS = 16
"""Public rows on which it is tried whether a transformer reads each row by itself."""


def _has(name: str) -> Callable[[Any], bool]:
    return lambda self: hasattr(getattr(self, "transformer_", self.transformer), name)


class PublicPreprocessor(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """A transformer that is fitted on public rows, as a step before an estimator with a guarantee.

    An imputer, scaler or encoder that ``Pipeline.fit`` fits reads all private rows, and then one row moves all others:
    the guarantee of the last step does not cover that.  ``fit`` of this one looks at the public rows alone, whatever
    rows it is handed; ``transform`` then changes each row by itself.  So the steps together have the guarantee of the
    last one.

    Transformers of scikit-learn that are known to take each row by itself take all rows at once: scalers, encoders,
    ``SimpleImputer``, ``PCA`` and others, and pipelines, unions and column transformers of them.  Any other one takes
    row by row, each with a copy of what was fitted, so that nothing of a row is left for the next.  ``fit`` tries on
    public rows whether that makes something else of them, and refuses a transformer for which it does.

    Args:
        transformer: a transformer of scikit-learn, not fitted, or a pipeline of some; it is cloned.
        public: public rows, (m, d) or a DataFrame.  Of a DataFrame the columns of the rows that ``fit`` is handed are
            taken, so that the same table may stand in each part of a ``ColumnTransformer``.

    Examples:
        >>> from sklearn.preprocessing import MinMaxScaler
        >>> step = PublicPreprocessor(MinMaxScaler(clip=True), [[0.0], [10.0]])
        >>> step.fit_transform([[5.0], [1e6]]).tolist()
        [[0.5], [1.0]]
    """

    transformer_: Any
    n_features_in_: int

    def __init__(self, transformer: Any, public: Any) -> None:
        self.transformer = transformer
        self.public = public

    def __sklearn_tags__(self) -> Any:
        """Those of the transformer, which needs no target."""
        tags = super().__sklearn_tags__()
        inner = getattr(self.transformer, "__sklearn_tags__", None)
        if inner is not None:
            tags.input_tags = inner().input_tags
        tags.target_tags.required = False
        return tags

    def fit(self, X: Any = None, y: Any = None) -> Self:
        """Fit the transformer on the public rows.

        Args:
            X: the rows of a pipeline.  None of them is read: of a DataFrame the names of its columns are.
            y: not used.

        Returns:
            The transformer itself, fitted.

        Raises:
            ValueError: if the public rows are the rows ``X``, lack a column of them, or cannot be transformed, and for
                a transformer that does not transform each row by itself.
        """
        if self.public is None:
            raise ValueError("public: is None, must be public rows; private ones are never fitted")
        public = self._own(X)
        for table in (self.public, public):
            check_other(table, X, hint="; or, to fit on the public rows alone, call fit() without rows")
        self.transformer_ = clone(self.transformer).fit(deepcopy(public))  # some transformers write into what they read
        _check_apart(self.transformer_, public)
        self.n_features_in_ = np.shape(public)[1]
        names = getattr(self.transformer_, "feature_names_in_", None)
        if names is not None:
            self.feature_names_in_ = names
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        return self

    def _own(self, X: Any) -> Any:
        """Return the public rows with the columns of X, as far as both have names."""
        names, known = getattr(X, "columns", None), getattr(self.public, "columns", None)
        if np.ndim(self.public) != 2:
            raise ValueError(f"public: must have shape (m, d), got {np.shape(self.public)}")
        if names is None or known is None:
            return self.public
        missing = [name for name in names if name not in known]
        if missing:
            raise ValueError(f"public: column {missing[0]!r} is missing (public columns: {', '.join(map(str, known))})")
        return self.public[list(names)]

    def transform(self, X: Any) -> Any:
        """Transform rows, each by itself.

        Args:
            X: (n, d), of the columns of the public rows.

        Returns:
            What the transformer makes of them.

        Raises:
            PublicError: for rows of another width, and rows that the transformer refuses; what it says of these is
                withheld.
        """
        check_is_fitted(self, "transformer_")
        shape: tuple[int, ...] = getattr(X, "shape", ())
        if len(shape) == 2 and shape[1] != self.n_features_in_:
            raise PublicError(f"X: has {shape[1]} features, the public rows have {self.n_features_in_}")
        return self._asked(lambda: _transformed(self.transformer_, X))

    @available_if(_has("inverse_transform"))  # type: ignore[untyped-decorator]
    def inverse_transform(self, X: Any) -> Any:
        """Undo ``transform``, for a transformer that can.

        Args:
            X: transformed rows.

        Returns:
            The rows.
        """
        return self._asked(lambda: self.transformer_.inverse_transform(X))

    def _asked(self, ask: Callable[[], T]) -> T:
        check_is_fitted(self, "transformer_")
        name = type(self.transformer_).__name__
        hint = "settings as handle_unknown='ignore' decide what becomes of values that no public row has"
        return withheld(ask, f"X: {name}, fitted on public rows, refuses a row ({hint})")

    @available_if(_has("get_feature_names_out"))  # type: ignore[untyped-decorator]
    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Return the names of the columns that ``transform`` makes.

        Args:
            input_features: names of the columns before, if the public rows have none.

        Returns:
            The names.
        """
        check_is_fitted(self, "transformer_")
        return np.asarray(self.transformer_.get_feature_names_out(input_features), object)


def _is_apart(transformer: Any) -> bool:
    """Return whether a transformer, or each part of it, is one of those that are known to take each row by itself."""
    kind = type(transformer)
    if transformer is None or transformer in ("passthrough", "drop"):
        return True
    if kind is Pipeline:
        return all(_is_apart(step) for _, step in transformer.steps)
    if kind is FeatureUnion:
        return all(_is_apart(part) for _, part in transformer.transformer_list)
    if kind is ColumnTransformer:
        return all(_is_apart(step[1]) for step in (*transformer.transformers, ("", transformer.remainder)))
    return kind in _APART


def _transformed(transformer: Any, rows: Any) -> Any:
    """Return transformed rows: all at once if the transformer is known to take each by itself, else one by one."""
    if _is_apart(transformer) or np.shape(rows)[0] == 0:
        return transformer.transform(rows)
    transformed = [
        deepcopy(transformer).transform(rows.iloc[i : i + 1] if hasattr(rows, "iloc") else rows[i : i + 1])
        for i in range(np.shape(rows)[0])
    ]
    if all(hasattr(row, "iloc") for row in transformed):
        import pandas as pd  # noqa: PLC0415  (a slow import, for DataFrames only)

        return pd.concat(transformed)
    return vstack(transformed).tocsr() if issparse(transformed[0]) else np.concatenate(transformed)


def _check_apart(transformer: Any, public: Any) -> None:
    """Raise PublicError if a fitted transformer makes something else of public rows alone than of all of them."""
    if not hasattr(transformer, "transform"):
        raise ValueError(
            f"transformer: {type(transformer).__name__} has no transform for other rows than those of a fit"
        )
    tried = min(_ROWS, np.shape(public)[0])
    together = _cells(transformer.transform(deepcopy(public)))
    for row in range(tried):
        own = public.iloc[row : row + 1] if hasattr(public, "iloc") else public[row : row + 1]
        alone = _cells(transformer.transform(deepcopy(own)))
        if alone.shape[1:] != together.shape[1:] or not _close(alone[0], together[row]):
            raise PublicError(
                f"transformer: {type(transformer).__name__} does not transform each row by itself: one private row "
                "would change others, and no guarantee of a later step covers that"
            )


def _cells(given: Any) -> NDArray[Any]:
    return np.asarray(given.toarray() if hasattr(given, "toarray") else given)


def _close(left: NDArray[Any], right: NDArray[Any]) -> bool:
    """Return whether both are equal, numbers up to rounding: matrices of more rows are multiplied in another order."""
    if left.dtype.kind in "biuf" and right.dtype.kind in "biuf":
        return bool(np.allclose(left, right, rtol=1e-6, atol=1e-9, equal_nan=True))
    return all(a == b or (a != a and b != b) for a, b in zip(left.tolist(), right.tolist(), strict=True))  # noqa: PLR0124
