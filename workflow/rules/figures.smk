"""Figures, from the tables of results: a rule for each batch of them, as outputs of one rule are as many in each job."""


def pictures(batch):
    """Files of each figure of a batch; in the report each has a heading, a label and a caption of its own.

    A caption is a template, which is not told of which file it is: the n-th gives the n-th caption of the job.
    """
    heading = (
        f"{batch.paper}: {titles()[batch.paper]}"
        if batch.paper
        else "Other experiments"
    )
    outputs = {}
    for i, (figure, drawing) in enumerate(batch.figures.items(), start=1):
        outputs[f"{figure}.pdf"] = f"{RESULTS}/figures/{figure}.pdf"
        outputs[f"{figure}.png"] = report(
            f"{RESULTS}/figures/{figure}.png",
            caption=f"../report/figures/{i}.rst",
            category=heading,
            subcategory="Claims" if drawing.experiment is None else "Experiments",
            labels={"figure": figure},
        )
    return outputs


def specifications(batch):
    """Parameter function: what is drawn in each figure of a batch."""
    drawn = batch.figures.items()
    return lambda wildcards: {
        figure: drawing.specification for figure, drawing in drawn
    }


def captions(batch):
    """Parameter function: the captions of a batch, in the order of its figures."""
    drawn = batch.figures.values()
    return lambda wildcards: [caption(drawing, RUN.effort) for drawing in drawn]


def drawing_code(batch):
    """Parameter function: fingerprint of the modules that draw the figures of a batch."""
    script = ROOT / "scripts" / "draw_figures.py"
    modules = sorted({drawing.module for drawing in batch.figures.values()})
    return lambda wildcards: fingerprint([script, *modules, *output_modules()])


for name, batch in BATCHES.items():

    rule:
        name:
            f"{DRAW}{name}"
        input:
            **batch.inputs,
        output:
            **pictures(batch),
        log:
            f"{RESULTS}/logs/draw_figures/{name}.log",
        benchmark:
            f"{RESULTS}/timings/draw_figures/{name}.tsv"
        priority: WEIGHTS.priority(f"{DRAW}{name}")
        localrule: True
        conda:
            "../../envs/semipriv.yaml"
        threads: 1
        resources:
            mem_mb=2000,
            runtime=10,
        params:
            figures=specifications(batch),
            captions=captions(batch),
            code=drawing_code(batch),
        message:
            f"Drawing {', '.join(batch.figures)}"
        script:
            "../../scripts/draw_figures.py"
