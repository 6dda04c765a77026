"""What a run made, and what it took."""


rule summary:
    input:
        ledger=f"{RESULTS}/claims.parquet",
        measurements=f"{RESULTS}/measurements.parquet",
        trials=expand(
            f"{RESULTS}/{{experiment}}/trials.parquet", experiment=RUN.experiments
        ),
        summaries=expand(
            f"{RESULTS}/{{experiment}}/summary.parquet", experiment=RUN.experiments
        ),
        slopes=expand(
            f"{RESULTS}/{{experiment}}/slopes.parquet", experiment=RUN.experiments
        ),
        figures=figure_files(),
    output:
        f"{RESULTS}/summary.txt",
    log:
        f"{RESULTS}/logs/summary.log",
    benchmark:
        f"{RESULTS}/timings/summary.tsv"
    conda:
        "../../envs/semipriv.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        code=fingerprint([ROOT / "scripts" / "summary.py"]),
    message:
        "Summing the run up"
    script:
        "../../scripts/summary.py"


rule runtimes:
    input:
        f"{RESULTS}/summary.txt",
    output:
        table=f"{RESULTS}/timings/jobs.parquet",
        minutes=f"{RESULTS}/timings/minutes.txt",
        page=report(
            f"{RESULTS}/timings/jobs.html",
            caption="../report/runtimes.rst",
            category="Runtimes",
            labels={"table": "Runtimes of rules and jobs"},
        ),
    log:
        f"{RESULTS}/logs/runtimes.log",
    conda:
        "../../envs/semipriv.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        jobs=WEIGHTS.papers(),
        code=fingerprint([ROOT / "scripts" / "runtimes.py"]),
    message:
        "Gathering runtimes"
    script:
        "../../scripts/runtimes.py"
