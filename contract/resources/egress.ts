import { type Static, Type } from 'typebox'
import { egressListEntriesMax } from '../limits.ts'
import { Nullable, PlainText, Strict } from '../schema.ts'

const Entries = Type.Array(PlainText({ minLength: 1, maxLength: 255 }), { maxItems: egressListEntriesMax })

/** Of public addresses, what runs reach beside nothing: where both are empty, they reach nothing. */
export const EgressAllowList = Strict({
  /** `api.example.org`, or `*.example.org` for every name below it and not itself. */
  domains: Entries,
  /** `8.8.8.0/24`, `2001:4860::/32`; public addresses only. */
  cidrs: Entries,
})
export type EgressAllowList = Static<typeof EgressAllowList>

/** What holds the runs of an environment, or of a task; of two lists a run reaches what both allow. */
export const Egress = Type.Object({
  /** Null: every public address. */
  allow_list: Nullable(EgressAllowList),
})
export type Egress = Static<typeof Egress>

export const EgressRequest = Strict({ allow_list: Nullable(EgressAllowList) })
export type EgressRequest = Static<typeof EgressRequest>
