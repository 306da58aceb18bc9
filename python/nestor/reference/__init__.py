"""Readable twins of the core's algorithms, equal to it to the last bit.

They are slow on purpose: plain Python that follows the pseudo-code of the papers. `search` finds
what `nestor.solve` finds. Arithmetic and random numbers are those of `nestor.exact`.

What the papers print stands in `nestor.reference.printed`, a screen each. The modules here have all
options, and polish. `LocalSearch` and `Counterexamples` have no twin.
"""

from nestor.reference.adoption import Adoption as Adoption
from nestor.reference.nrpa import BiasLearning as BiasLearning
from nestor.reference.nrpa import adapt_biases as adapt_biases
from nestor.reference.nrpa import adapt_with_biases as adapt_with_biases
from nestor.reference.nrpa import nested as nested
from nestor.reference.playout import Playout as Playout
from nestor.reference.playout import follow as follow
from nestor.reference.playout import play_on as play_on
from nestor.reference.playout import playout as playout
from nestor.reference.policy import Policy as Policy
from nestor.reference.policy import Step as Step
from nestor.reference.policy import adapt as adapt
from nestor.reference.race import race as race
from nestor.reference.searching import search as search
from nestor.reference.searching import whole_searches as whole_searches
