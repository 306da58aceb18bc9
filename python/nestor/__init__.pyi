from nestor import algorithms as algorithms
from nestor import data as data
from nestor import plot as plot
from nestor import problems as problems
from nestor import reference as reference
from nestor import research as research
from nestor import testing as testing
from nestor.algorithms import *  # noqa: F403
from nestor.algorithms.own import algorithm as algorithm
from nestor.asking import Search as Search
from nestor.awaiting import solve_async as solve_async
from nestor.batch_bias import Batch as Batch
from nestor.batch_bias import BatchBias as BatchBias
from nestor.comparison import Runs as Runs
from nestor.comparison import compare as compare
from nestor.errors import FetchError as FetchError
from nestor.errors import InputError as InputError
from nestor.errors import MissingExtraError as MissingExtraError
from nestor.errors import NestorError as NestorError
from nestor.errors import RulesError as RulesError
from nestor.errors import VerificationError as VerificationError
from nestor.foreign import compiled as compiled
from nestor.foreign import get_include as get_include
from nestor.foreign import load_library as load_library
from nestor.front import Front as Front
from nestor.learning import learn_prior as learn_prior
from nestor.many import Many as Many
from nestor.many import solve_many as solve_many
from nestor.pareto import ParetoLocalSearch as ParetoLocalSearch
from nestor.pareto import ParetoNRPA as ParetoNRPA
from nestor.prior import Prior as Prior
from nestor.problem import Problem as Problem
from nestor.problems.functions import Assignment as Assignment
from nestor.problems.functions import Order as Order
from nestor.problems.functions import Subset as Subset
from nestor.result import Improvement as Improvement
from nestor.result import Result as Result
from nestor.runs.elsewhere.executors import RayExecutor as RayExecutor
from nestor.runs.progress import Progress as Progress
from nestor.runs.progress import Racer as Racer
from nestor.runs.stopping import Cancel as Cancel
from nestor.runs.stopping import FirstSolved as FirstSolved
from nestor.runs.stopping import NoImprovement as NoImprovement
from nestor.solving import resume as resume
from nestor.solving import solve as solve

__all__: list[str]
__version__: str
