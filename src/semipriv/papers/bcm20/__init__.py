"""Private Query Release Assisted by Public Data.

Answers to all queries of a class of finite VC dimension: public points make a representative domain, on which a
mechanism for finite domains, such as multiplicative weights, releases a synthetic data set.  Lower bounds on public and
on private sizes come from tracing attacks and packings.
"""

ORDER = 3
