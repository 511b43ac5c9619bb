/** Connections and names that a sandbox was refused, as far as they were recorded. */
export interface Refusals {
  /** At most 200, oldest first. */
  entries: Refusal[]
  /** Number of attempts beyond these. */
  more: number
}

/** Attempts that differ only in their time. */
export interface Refusal {
  reason: RefusalReason
  /** `dns` for a requested name. */
  protocol: 'tcp' | 'udp' | 'dns' | 'other'
  /** At most 255 characters of printable ASCII; other bytes are written as `\ddd`. Empty unless `dns`. */
  name: string
  /** Empty if unknown. */
  address: string
  /** 0 if there is none. */
  port: number
  count: number
  firstAt: string
  lastAt: string
}

/** Why a packet is refused, in the order of the marks in `rules.ts`, and why a name is not answered. */
export const refusalReasons = [
  'not_public_address',
  'host_address',
  'other_sandbox',
  'foreign_resolver',
  'unsupported_protocol',
  'too_many_connections',
  'not_in_allow_list',
  'name_not_in_allow_list',
  'name_has_inner_address',
  'metadata_address',
] as const
export type RefusalReason = (typeof refusalReasons)[number]
