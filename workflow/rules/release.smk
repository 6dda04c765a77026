"""Target `release`: a release on an own table.

The budget ledger decides whether anything is charged or drawn.  Jobs may run again for any reason, and then publish the
same bytes again.  The private table is no input but a parameter: Snakemake keeps digests of inputs.  Sums over its parts
are temporary, and hold random bytes for the same reason.  No job here has a benchmark, is tried again, or tells times.
"""


rule release:
    input:
        published,


rule reserve_release:
    input:
        request=RELEASE,
    output:
        f"{OWN}/charged.json",
    log:
        f"{RESULTS}/logs/reserve_release/{{release}}.log",
    retries: 0
    conda:
        "../../envs/semipriv.yaml"
    threads: 1
    resources:
        mem_mb=4000,
        runtime=60,
    params:
        counted=lambda wildcards: request().private.name,
        code=step("reserve_release.py"),
    message:
        "Charging for the release {wildcards.release}"
    script:
        "../../scripts/reserve_release.py"


rule tally_part:
    input:
        request=RELEASE,
        charged=f"{OWN}/charged.json",
    output:
        temp(f"{OWN}/private/{{part}}.npz"),
    log:
        f"{RESULTS}/logs/tally_part/{{release}}_{{part}}.log",
    wildcard_constraints:
        part=r"\d+",
    retries: 0
    conda:
        "../../envs/semipriv.yaml"
    threads: 1
    resources:
        mem_mb=4000,
        runtime=240,
    params:
        private=read_for_a_part,
        code=step("tally_part.py"),
    message:
        "Summing up part {wildcards.part} for the release {wildcards.release}"
    script:
        "../../scripts/tally_part.py"


rule draw_release:
    input:
        request=RELEASE,
        charged=f"{OWN}/charged.json",
        sums=sums,
    output:
        model=f"{OWN}/model.json",
        certificate=f"{OWN}/certificate.json",
        page=f"{OWN}/certificate.html",
    log:
        f"{RESULTS}/logs/draw_release/{{release}}.log",
    retries: 0
    conda:
        "../../envs/semipriv.yaml"
    threads: 1
    resources:
        mem_mb=8000,
        runtime=240,
    params:
        private=read_in_the_end,
        code=step("draw_release.py"),
    message:
        "Drawing the release {wildcards.release}, unless it is drawn"
    script:
        "../../scripts/draw_release.py"


rule write_release_table:
    input:
        request=RELEASE,
        model=f"{OWN}/model.json",
        certificate=f"{OWN}/certificate.json",
    output:
        f"{OWN}/{{table}}.{{ending}}",
    log:
        f"{RESULTS}/logs/write_release_table/{{release}}_{{table}}_{{ending}}.log",
    wildcard_constraints:
        table="synthetic|report",
        ending="csv|tsv|parquet",
    retries: 0
    conda:
        "../../envs/semipriv.yaml"
    threads: 1
    resources:
        mem_mb=4000,
        runtime=30,
    params:
        code=step("write_release_table.py"),
    message:
        "Writing the {wildcards.table} table of {wildcards.release}"
    script:
        "../../scripts/write_release_table.py"


rule write_release_intervals:
    input:
        request=RELEASE,
        model=f"{OWN}/model.json",
    output:
        f"{OWN}/intervals.parquet",
    log:
        f"{RESULTS}/logs/write_release_intervals/{{release}}.log",
    retries: 0
    conda:
        "../../envs/semipriv.yaml"
    threads: 1
    resources:
        mem_mb=4000,
        runtime=30,
    params:
        code=step("write_release_intervals.py"),
    message:
        "Writing the limits of the marginals of {wildcards.release}"
    script:
        "../../scripts/write_release_intervals.py"


rule draw_release_figure:
    input:
        request=RELEASE,
        model=f"{OWN}/model.json",
    output:
        multiext(f"{OWN}/figure", ".pdf", ".png"),
    log:
        f"{RESULTS}/logs/draw_release_figure/{{release}}.log",
    retries: 0
    conda:
        "../../envs/semipriv.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=30,
    params:
        code=step("draw_release_figure.py"),
    message:
        "Drawing the model of {wildcards.release} over the public points"
    script:
        "../../scripts/draw_release_figure.py"
