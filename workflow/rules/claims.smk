"""The studies of claims, and their ledger."""


rule measure_study:
    output:
        rows=f"{RESULTS}/claims/{{study}}.rows.parquet",
        measurements=f"{RESULTS}/claims/{{study}}.measurements.parquet",
    log:
        f"{RESULTS}/logs/measure_study/{{study}}.log",
    benchmark:
        f"{RESULTS}/timings/measure_study/{{study}}.tsv"
    wildcard_constraints:
        study=one_of(studies()),
    priority: WEIGHTS.priority("measure_study")
    conda:
        "../../envs/semipriv.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 4000 * attempt,
        runtime=lambda wildcards, attempt: max(30, round(10 * RUN.effort)) * attempt,
    params:
        seed=RUN.seed,
        effort=RUN.effort,
        claims=lambda wildcards: studies()[wildcards.study].claims,
        code=lambda wildcards: fingerprint(
            [
                ROOT / "scripts" / "measure_study.py",
                studies()[wildcards.study].module,
            ]
        ),
    message:
        "Measuring the claims of {wildcards.study}"
    script:
        "../../scripts/measure_study.py"


rule ledger:
    input:
        rows=expand(f"{RESULTS}/claims/{{study}}.rows.parquet", study=STUDIES),
        measurements=expand(
            f"{RESULTS}/claims/{{study}}.measurements.parquet", study=STUDIES
        ),
    output:
        ledger=f"{RESULTS}/claims.parquet",
        measurements=f"{RESULTS}/measurements.parquet",
        page=report(
            f"{RESULTS}/claims.html",
            caption="../report/ledger.rst",
            category="Claims ledger",
            labels={"table": "All claims with their verdicts"},
        ),
        latex=f"{RESULTS}/claims.tex",
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
        code=fingerprint(
            [ROOT / "scripts" / "ledger.py", *lists_of_claims(), *assets_of_ledger()]
        ),
    message:
        "Writing the ledger of claims"
    script:
        "../../scripts/ledger.py"
