"""The ledger of claims, and the summary of the run."""


rule measure_claim:
    output:
        row=f"{RESULTS}/claims/{{claim}}.row.parquet",
        measurements=f"{RESULTS}/claims/{{claim}}.measurements.parquet",
    log:
        f"{RESULTS}/logs/measure_claim/{{claim}}.log",
    benchmark:
        f"{RESULTS}/timings/measure_claim/{{claim}}.tsv"
    conda:
        "../../envs/semipriv.yaml"
    threads: 1
    resources:
        mem_mb=4000,
        runtime=60,
    params:
        seed=RUN.seed,
        effort=RUN.effort,
        code=lambda wildcards: fingerprint(
            [
                ROOT / "scripts" / "measure_claim.py",
                STATEMENTS,
                measured.module(wildcards.claim),
            ]
        ),
    message:
        "Measuring claim {wildcards.claim}"
    script:
        "../../scripts/measure_claim.py"


rule ledger:
    input:
        rows=expand(f"{RESULTS}/claims/{{claim}}.row.parquet", claim=RUN.claims),
        measurements=expand(
            f"{RESULTS}/claims/{{claim}}.measurements.parquet", claim=RUN.claims
        ),
    output:
        ledger=f"{RESULTS}/claims.parquet",
        measurements=f"{RESULTS}/measurements.parquet",
    log:
        f"{RESULTS}/logs/ledger.log",
    benchmark:
        f"{RESULTS}/timings/ledger.tsv"
    conda:
        "../../envs/semipriv.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        code=fingerprint([ROOT / "scripts" / "ledger.py", STATEMENTS]),
    message:
        "Writing the ledger of claims"
    script:
        "../../scripts/ledger.py"


rule summary:
    input:
        ledger=f"{RESULTS}/claims.parquet",
        measurements=f"{RESULTS}/measurements.parquet",
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
