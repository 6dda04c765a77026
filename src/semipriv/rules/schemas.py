"""Schemas of the tables that rules hand to one another."""

import pyarrow as pa

from semipriv.tables import FLOATS, SMALL_INTEGERS, Column, Schema

_CELL = Column("cell", pa.int32(), "index of the cell in its experiment")
_TRIAL = Column("trial", pa.int32(), "number of the repetition, from 0")
_LEARNER = Column("learner", pa.string(), "name of the learner and all its parameters")

SAMPLES = Schema(
    "samples",
    "one sample of labelled examples for each cell and trial",
    (
        _CELL,
        _TRIAL,
        Column("n", pa.int64(), "number of examples"),
        Column("points", FLOATS, "n points of d features, point after point; null: see recipe"),
        Column("labels", SMALL_INTEGERS, "n labels 0 or 1; null: see recipe"),
        Column("recipe", pa.string(), "random stream that draws the sample where it is too large to store; else null"),
        Column(
            "centre",
            FLOATS,
            "for tables: public mean of each feature, already subtracted (mixed samples: low end of its range or 0); "
            "else null",
        ),
        Column(
            "scale",
            FLOATS,
            "for tables: public standard deviation of each feature, already divided by (mixed samples: width of its "
            "range or 1); else null",
        ),
    ),
)

PREPARED = Schema(
    "prepared",
    "what the public stage made: candidate hypotheses, from public data only",
    (
        _CELL,
        _TRIAL,
        Column("preparation", pa.string(), "name of the public stage; learners of one name share it"),
        Column("points", FLOATS, "distinct public points, or those of the labels, point after point"),
        Column(
            "labels", SMALL_INTEGERS, "public labels, where the public stage is to be repeated from them; else null"
        ),
        Column("parameters", FLOATS, "parameters of the candidates, hypothesis after hypothesis; null: not listed"),
        Column("representative", pa.string(), "of a cover not listed: where in its cell a representative lies"),
    ),
)

RELEASES = Schema(
    "releases",
    "one hypothesis for each cell, trial and learner",
    (
        _CELL,
        _TRIAL,
        _LEARNER,
        Column("hypothesis", FLOATS, "parameters of the hypothesis"),
        Column("epsilon", pa.float64(), "epsilon of its guarantee; null: not private"),
        Column("delta", pa.float64(), "delta of its guarantee; null: not private"),
        Column("neighbours", pa.string(), "neighbour relation of the guarantee; null: not private"),
        Column("cover_size", pa.int64(), "number of candidate hypotheses"),
    ),
)

EVALUATIONS = Schema(
    "evaluations",
    "errors of the hypotheses",
    (
        *RELEASES.columns,
        Column(
            "error", pa.float64(), "population error under the private law, or error on the held-out part of a table"
        ),
        Column("standard_error", pa.float64(), "standard error of that error; 0: closed form"),
        Column("best_error", pa.float64(), "infimum of the population error over the class; null for tables"),
        Column("excess", pa.float64(), "error - best_error; null for tables"),
    ),
)

_WHICH = (
    Column("name", pa.string(), "name of the learner"),
    Column("variant", pa.string(), "parameters of the learner other than epsilon"),
    Column("epsilon", pa.float64(), "privacy parameter of the learner; null: not private or no private data"),
)

_SETTINGS = (
    Column("experiment", pa.string(), "name of the experiment"),
    _CELL,
    Column("case", pa.string(), "name of the case"),
    Column("vc_dimension", pa.int64(), "VC dimension of the class; null: not known"),
    Column("n", pa.int64(), "number of examples of a mixed sample; null: public and private ones are drawn apart"),
    Column("n_public", pa.int64(), "number of public points; null: random, of a mixed sample"),
    Column("n_private", pa.int64(), "number of private examples; null: random, of a mixed sample"),
    Column("private_zeros", pa.float64(), "P[private | label 0] of a mixed population; null: none, or not known"),
    Column("sigma", pa.float64(), "smoothness of the private law; 1: no shift"),
    _LEARNER,
    *_WHICH,
)

TRIALS = Schema(
    "trials",
    "every trial of an experiment",
    (*_SETTINGS, _TRIAL, *(c for c in EVALUATIONS.columns if c.name not in {"cell", "trial", "learner", "epsilon"})),
)

SUMMARY = Schema(
    "summary",
    "means over trials, with 95 % confidence limits, beside the bound of the theory",
    (
        *_SETTINGS,
        Column("trials", pa.int64(), "number of trials"),
        Column("measure", pa.string(), "'excess' for simulations, 'error' for tables"),
        Column("mean", pa.float64(), "mean of the measure"),
        Column("low", pa.float64(), "lower 95 % limit of the mean (Student)"),
        Column("high", pa.float64(), "upper 95 % limit of the mean (Student)"),
        Column("standard_error", pa.float64(), "standard error of the mean"),
        Column("quantile", pa.float64(), "empirical quantile of the measure at 1 - beta"),
        Column("beta", pa.float64(), "failure probability of the bound"),
        Column(
            "bound",
            pa.float64(),
            "excess allowed with probability 1 - beta: explicit constants after ABM19 theorem 3.1 (the sharper "
            "realizable form is derived here), radius over sigma (BBD24 section 1); of A_LearnHalf after BMN20 theorem "
            "4.6; null: none, or above 1",
        ),
        Column("cover_size", pa.float64(), "mean number of candidate hypotheses"),
    ),
)

SLOPES = Schema(
    "slopes",
    "log-log slopes of the mean excess, weighted by inverse variances, with 95 % confidence limits",
    (
        Column("experiment", pa.string(), "name of the experiment"),
        Column("case", pa.string(), "name of the case"),
        _LEARNER,
        *_WHICH,
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
