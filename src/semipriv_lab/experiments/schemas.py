"""Schemas of the tables that rules hand to one another."""

import pyarrow as pa

from semipriv.core.arrays import ARRAYS
from semipriv.core.tables import FLOATS, SMALL_INTEGERS, Column, Schema

_CELL = Column("cell", pa.int32(), "index of the cell in its experiment")
_TRIAL = Column("trial", pa.int32(), "number of the repetition, from 0")
_MEASURE = Column("measure", pa.string(), "name of the measure, with the parameters that are no defaults")
_LEARNER = Column("learner", pa.string(), "name of the learner and all its parameters")

SAMPLES = Schema(
    "samples",
    "one sample for each cell and trial: examples with labels or responses, and unlabelled entries where there are any",
    (
        _CELL,
        _TRIAL,
        Column("n", pa.int64(), "number of examples"),
        Column("points", FLOATS, "n points of d features, point after point; null: see recipe"),
        Column("labels", SMALL_INTEGERS, "n labels 0, ..., K - 1; null: see recipe, or responses"),
        Column("responses", FLOATS, "n real responses instead of labels; null: see recipe, or labels"),
        Column("recipe", pa.string(), "random stream that draws the sample where it is too large to store; else null"),
        Column("n_unlabelled", pa.int64(), "number of unlabelled entries, which follow; null: all are labelled"),
        Column("unlabelled", FLOATS, "for tables: these entries, point after point; else null"),
        Column("unlabelled_recipe", pa.string(), "for simulations: random stream that draws them as they are read"),
        Column(
            "centre",
            FLOATS,
            "for tables: public mean of each feature, already subtracted (with ranges: the low end of its range; mixed "
            "samples without: 0); else null",
        ),
        Column(
            "scale",
            FLOATS,
            "for tables: public standard deviation of each feature, already divided by (with ranges: the width of its "
            "range; mixed samples without: 1); else null",
        ),
    ),
)

PREPARED = Schema(
    "prepared",
    "what the public stages made, from public data only",
    (
        _CELL,
        _TRIAL,
        Column("stage", pa.string(), "the public stage with its parameters; learners of one stage share what it made"),
        Column("arrays", ARRAYS, "what it made, as named arrays"),
    ),
)

RELEASES = Schema(
    "releases",
    "one output for each cell, trial and learner",
    (
        _CELL,
        _TRIAL,
        _LEARNER,
        Column("output", pa.string(), "what the output is, as JSON: its kind, and of a hypothesis its functions"),
        Column("arrays", ARRAYS, "its numbers, as named arrays: of a hypothesis its parameters"),
        Column("epsilon", pa.float64(), "epsilon of the mechanism's guarantee; null: not private"),
        Column("delta", pa.float64(), "delta of the mechanism's guarantee; null: not private"),
        Column("neighbours", pa.string(), "neighbour relation of the guarantee; null: not private"),
        Column(
            "randomness",
            pa.string(),
            "what drew it: 'simulation', a seeded stream: it protects nobody who knows the seed; or 'secure'",
        ),
        Column("cost", pa.string(), "what the release took, as JSON: named numbers, such as cover_size"),
    ),
)

_ERRORS = (
    _MEASURE,
    Column(
        "error", pa.float64(), "value of the measure under the private distribution, or on the held-out part of a table"
    ),
    Column("standard_error", pa.float64(), "standard error of that error; 0: closed form"),
    Column(
        "best_error",
        pa.float64(),
        "best possible value of the measure, such as the infimum of the population error over the class; null for "
        "tables",
    ),
    Column("best_low", pa.float64(), "lower limit of that value if it is estimated, else itself"),
    Column("best_high", pa.float64(), "upper limit of that value if it is estimated, else itself"),
    Column("excess", pa.float64(), "error - best_error; null for tables"),
)

_WHICH = (
    Column("name", pa.string(), "name of the learner"),
    Column("title", pa.string(), "what figures call the learner"),
    Column("role", pa.string(), "what the learner is in a comparison: paper, variant or a kind of baseline"),
    Column("parameters", pa.string(), "parameters of the learner, defaults included, as JSON"),
    Column("epsilon", pa.float64(), "privacy parameter of the learner; null: not private or no private data"),
    Column("protects", pa.string(), "what neighbouring data differ in, in words; null: not private"),
)

_SETTINGS = (
    Column("experiment", pa.string(), "name of the experiment"),
    _CELL,
    Column("case", pa.string(), "name of the case"),
    Column("vc_dimension", pa.int64(), "VC dimension of the class; null: not known"),
    Column("bits", pa.int64(), "bits of a point of the class; null: its domain is not one of so many bits"),
    Column("n", pa.int64(), "number of examples of a mixed sample; null: public and private ones are drawn apart"),
    Column("n_public", pa.int64(), "number of public points; null: random, of a mixed sample"),
    Column("n_private", pa.int64(), "number of private examples; null: random, of a mixed sample"),
    Column("n_labelled", pa.int64(), "number of labelled private examples; null: all private examples are labelled"),
    Column("n_unlabelled", pa.int64(), "number of unlabelled private entries; null: all private examples are labelled"),
    Column("private_zeros", pa.float64(), "P[private | label 0] of a mixed population; null: none, or not known"),
    Column("sigma", pa.float64(), "smoothness of the private distribution; 1: no shift; null: not known"),
    _LEARNER,
    *_WHICH,
)

TRIALS = Schema(
    "trials",
    "every trial of an experiment",
    (
        *_SETTINGS,
        _TRIAL,
        *(c for c in RELEASES.columns if c.name not in {s.name for s in (*_SETTINGS, _TRIAL)}),
        *_ERRORS,
    ),
)

SUMMARY = Schema(
    "summary",
    "means over trials, with 95 % confidence limits, beside the bound of the theory",
    (
        *_SETTINGS,
        Column("trials", pa.int64(), "number of trials"),
        _MEASURE,
        Column("quantity", pa.string(), "'excess' for simulations, 'error' for tables"),
        Column("axis", pa.string(), "what figures call that quantity of the measure"),
        Column("mean", pa.float64(), "mean of the quantity"),
        Column("low", pa.float64(), "lower 95 % limit of the mean (Student)"),
        Column("high", pa.float64(), "upper 95 % limit of the mean (Student)"),
        Column("standard_error", pa.float64(), "standard error of the mean"),
        Column("quantile", pa.float64(), "empirical quantile of the quantity at 1 - beta"),
        Column("beta", pa.float64(), "failure probability of the bound"),
        Column(
            "bound",
            pa.float64(),
            "excess that the learner's theory allows with probability 1 - beta, with explicit constants; null: the "
            "theory says nothing, or more than 1",
        ),
        Column("vacuous", pa.bool_(), "whether that bound is above 1"),
        Column("cost", pa.string(), "means of what the releases took, as JSON"),
    ),
)

SLOPES = Schema(
    "slopes",
    "log-log slopes of the mean excess, weighted by inverse variances, with 95 % confidence limits; none of a curve "
    "that both rises and falls",
    (
        Column("experiment", pa.string(), "name of the experiment"),
        Column("case", pa.string(), "name of the case"),
        _LEARNER,
        *_WHICH,
        _MEASURE,
        Column("x", pa.string(), "the size that varies"),
        Column("low_x", pa.float64(), "least x that is in the fit"),
        Column("high_x", pa.float64(), "greatest x that is in the fit"),
        Column("points", pa.int64(), "number of cells in the fit"),
        Column("left_out", pa.int64(), "cells of the range whose mean or standard error is not positive"),
        Column("slope", pa.float64(), "slope of ln(mean excess) against ln(x)"),
        Column("low", pa.float64(), "lower limit"),
        Column("high", pa.float64(), "upper limit"),
    ),
)
