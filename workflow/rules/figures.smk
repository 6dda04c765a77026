"""Figures, from the tables of results."""


rule draw_figure:
    input:
        unpack(lambda wildcards: DRAWINGS[wildcards.figure].inputs),
    output:
        pdf=f"{RESULTS}/figures/{{figure}}.pdf",
        png=report(
            f"{RESULTS}/figures/{{figure}}.png",
            caption="../report/figure.rst",
            category=report_category,
            subcategory=report_subcategory,
            labels={"figure": "{figure}"},
        ),
    log:
        f"{RESULTS}/logs/draw_figure/{{figure}}.log",
    benchmark:
        f"{RESULTS}/timings/draw_figure/{{figure}}.tsv"
    wildcard_constraints:
        figure=one_of(DRAWINGS),
    conda:
        "../../envs/semipriv.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        figure=lambda wildcards: DRAWINGS[wildcards.figure].specification,
        caption=lambda wildcards: caption(DRAWINGS[wildcards.figure], RUN.effort),
        code=lambda wildcards: fingerprint(
            [
                ROOT / "scripts" / "draw_figure.py",
                DRAWINGS[wildcards.figure].module,
                *output_modules(),
            ]
        ),
    message:
        "Drawing {wildcards.figure}"
    script:
        "../../scripts/draw_figure.py"
