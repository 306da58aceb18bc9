"""The algorithms as their papers print them, a screen each, with nothing added.

`nestor.reference.printed.nrpa` is figure 2 of nrpa-2011, `nmcs` its figure 1 and Sample-k NMCS,
`gnrpa` algorithms 3 to 5 of gnrpa-2020, `parallel` Par1 and Par2 of
distributed-nrpa-samegame-2017, `replay_prior` algorithm 4 of learned-prior-2024. Algorithm 3 of
beam-nrpa-2012 has a module of its own, too, and so has Pareto-NRPA in our reading
(`pareto_nrpa`). With the same key each plays what the core does.
"""
