/** One thing that a cluster has to have, or that is better with it. */
export interface ClusterFinding {
  /** `[a-z_]+`, the same for ever. */
  slug: string
  ok: boolean
  /** Without it the executor does not start; other findings only limit it. */
  needed: boolean
  found: string
  /** Empty where it is ok. */
  advice: string
}

export const good = (slug: string, found: string): ClusterFinding => ({
  slug,
  ok: true,
  needed: true,
  found,
  advice: '',
})

export const bad = (slug: string, found: string, advice: string): ClusterFinding => ({
  slug,
  ok: false,
  needed: true,
  found,
  advice,
})
