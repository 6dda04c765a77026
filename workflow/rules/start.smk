"""What is set, checked and told before the first job."""

from snakemake.logging import logger
from snakemake.settings.types import DeploymentMethod

from semipriv_lab.workflow import missing
from semipriv_lab.workflow.scheduling import wait_for_one_round
from semipriv_lab.workflow.time_left import TimeLeft, at_once


def check_packages():
    """Leave before the first job if packages are missing; rules in conda environments do not look here for them."""
    apart = DeploymentMethod.CONDA in workflow.deployment_settings.deployment_method
    problem = missing.missing(
        missing.Job(job.rule.name, job.params.get("code"), job.wildcards_dict)
        for job in workflow.dag.needrun_jobs()
        if job.rule.script and not (apart and job.rule.conda_env)
    )
    if problem:
        raise WorkflowError(problem)


def tell_time_left():
    """Tell from now on how far the run is; of releases nothing is told."""
    if any(job.rule.name == "release" for job in workflow.dag.needrun_jobs()):
        return
    weights = {
        workflow.dag.jobid(job): WEIGHTS.of(job) for job in workflow.dag.needrun_jobs()
    }
    say = lambda line: print(f"semipriv: {line}", file=sys.stderr, flush=True)
    logger.addHandler(TimeLeft(weights, at_once(workflow), say))
