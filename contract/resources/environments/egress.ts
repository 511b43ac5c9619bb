import { type Static, Type } from 'typebox'
import { about } from '../../about.ts'
import { egressListEntriesMax } from '../../limits.ts'
import { Nullable, PlainText, Strict } from '../../schema.ts'

const Entries = Type.Array(PlainText({ minLength: 1, maxLength: 255 }), { maxItems: egressListEntriesMax })

/** Allowed public destinations of runs. If both lists are empty, runs reach nothing. */
export const EgressAllowList = Strict({
  domains: about(
    'Names that runs may reach; `*.example.com` is every subdomain, but not the domain itself.',
    Entries,
    ['api.example.org', '*.example.com'],
  ),
  cidrs: about('Ranges of public addresses that runs may reach.', Entries, ['8.8.8.0/24']),
})
export type EgressAllowList = Static<typeof EgressAllowList>

/**
 * Egress restriction of the runs of an environment or of a task. If both have a list, a run reaches only what both
 * allow.
 */
export const Egress = Type.Object({
  allow_list: about('Addresses that runs may reach; null: every public address.', Nullable(EgressAllowList)),
})
export type Egress = Static<typeof Egress>

export const EgressRequest = Strict({
  allow_list: about(
    'Addresses that runs may reach; null: every public address. Two empty lists: nothing.',
    Nullable(EgressAllowList),
  ),
})
export type EgressRequest = Static<typeof EgressRequest>
