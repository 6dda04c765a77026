"""semipriv: `snakemake --cores 8` makes every table, figure and verdict."""


configfile: "config/config.yaml"


report: "workflow/report/workflow.rst"


include: "workflow/rules/common.smk"
include: "workflow/rules/inputs.smk"
include: "workflow/rules/start.smk"
include: "workflow/rules/data.smk"
include: "workflow/rules/learn.smk"
include: "workflow/rules/evaluate.smk"
include: "workflow/rules/claims.smk"
include: "workflow/rules/figures.smk"
include: "workflow/rules/overview.smk"
include: "workflow/rules/request.smk"
include: "workflow/rules/release.smk"


# A second or a few each: on a cluster they run beside Snakemake, not through the queue.
localrules:
    all,
    write_table,
    ledger,
    summary,
    runtimes,
    release,
    reserve_release,
    draw_release,
    write_release_table,
    write_release_intervals,
    draw_release_figure,


rule all:
    default_target: True
    input:
        f"{RESULTS}/summary.txt",
        f"{RESULTS}/timings/jobs.html",
        rules.summary.input,
        rules.ledger.output,


onstart:
    wait_for_one_round(workflow.scheduler)
    check_packages()
    tell_time_left()


onsuccess:
    if Path(RESULTS, "summary.txt").exists():
        print(
            f"semipriv: done; {RESULTS}/summary.txt says what was made and where to look"
        )


onerror:
    print(
        f"semipriv: a job failed; its log is in {RESULTS}/logs/, and running again continues where it stopped"
    )
