import { type Static, Type } from 'typebox'
import { egressListEntriesMax } from '../../limits.ts'
import { Nullable, PlainText, Strict } from '../../schema.ts'

const Entries = Type.Array(PlainText({ minLength: 1, maxLength: 255 }), { maxItems: egressListEntriesMax })

/** Allowed public destinations of runs. If both lists are empty, runs reach nothing. */
export const EgressAllowList = Strict({
  /** `api.example.org`, or `*.example.org` for every subdomain but not the domain itself. */
  domains: Entries,
  /** `8.8.8.0/24`, `2001:4860::/32`; public addresses only. */
  cidrs: Entries,
})
export type EgressAllowList = Static<typeof EgressAllowList>

/**
 * Egress restriction of the runs of an environment or of a task. If both have a list, a run reaches only what both
 * allow.
 */
export const Egress = Type.Object({
  /** Null: every public address is allowed. */
  allow_list: Nullable(EgressAllowList),
})
export type Egress = Static<typeof Egress>

export const EgressRequest = Strict({ allow_list: Nullable(EgressAllowList) })
export type EgressRequest = Static<typeof EgressRequest>
