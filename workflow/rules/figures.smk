"""Figures, from the tables of results."""


rule draw_figure:
    input:
        unpack(figure_inputs),
    output:
        pdf=f"{RESULTS}/figures/{{experiment}}__{{figure}}.pdf",
        png=report(
            f"{RESULTS}/figures/{{experiment}}__{{figure}}.png",
            caption="../report/figure.rst",
            category="Experiments",
            labels={"experiment": "{experiment}", "figure": "{figure}"},
        ),
    log:
        f"{RESULTS}/logs/draw_figure/{{experiment}}__{{figure}}.log",
    benchmark:
        f"{RESULTS}/timings/draw_figure/{{experiment}}__{{figure}}.tsv"
    wildcard_constraints:
        experiment=one_of(RUN.experiments),
    conda:
        "../../envs/semipriv.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        figure=figure_specification,
        caption=caption,
        code=lambda wildcards: fingerprint(
            [
                ROOT / "scripts" / "draw_figure.py",
                registry.module("figures", wildcards.figure),
            ]
        ),
    message:
        "Drawing {wildcards.figure} of {wildcards.experiment}"
    script:
        "../../scripts/draw_figure.py"


rule draw_study_figure:
    input:
        measurements=lambda wildcards: f"{RESULTS}/claims/{STUDY_FIGURES[wildcards.figure]}.measurements.parquet",
    output:
        pdf=f"{RESULTS}/figures/{{figure}}.pdf",
        png=report(
            f"{RESULTS}/figures/{{figure}}.png",
            caption="../report/figure.rst",
            category=lambda wildcards: f"Claims of {paper(wildcards)}",
            labels={"figure": "{figure}"},
        ),
    log:
        f"{RESULTS}/logs/draw_study_figure/{{figure}}.log",
    benchmark:
        f"{RESULTS}/timings/draw_study_figure/{{figure}}.tsv"
    wildcard_constraints:
        figure=one_of(STUDY_FIGURES),
    conda:
        "../../envs/semipriv.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        figure=lambda wildcards: json.dumps({"name": wildcards.figure}),
        caption=caption,
        code=lambda wildcards: fingerprint(
            [
                ROOT / "scripts" / "draw_figure.py",
                registry.module("figures", wildcards.figure),
            ]
        ),
    message:
        "Drawing {wildcards.figure} of the ledger"
    script:
        "../../scripts/draw_figure.py"
