"""semipriv: `snakemake --cores 8` makes every table, figure and verdict."""


configfile: "config/config.yaml"


include: "workflow/rules/common.smk"
include: "workflow/rules/data.smk"
include: "workflow/rules/learn.smk"
include: "workflow/rules/evaluate.smk"
include: "workflow/rules/claims.smk"
include: "workflow/rules/figures.smk"


rule all:
    default_target: True
    input:
        f"{RESULTS}/summary.txt",


onsuccess:
    if Path(RESULTS, "summary.txt").exists():
        print(
            f"semipriv: done; {RESULTS}/summary.txt says what was made and where to look"
        )


onerror:
    print(
        f"semipriv: a job failed; its log is in {RESULTS}/logs/, and running again continues where it stopped"
    )
