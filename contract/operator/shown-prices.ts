/** The prices that hold, with amounts as decimal strings. */
export interface ShownPrices {
  currency: string
  rate_version: string
  bound_version: string
  applied_at: string
  minimum_billed_seconds: number
  finalization_seconds: number
  inbound_reservation_bytes: number
  outbound_reservation_bytes: number
  rates: {
    region: string
    kind: 'run' | 'build'
    profile: string
    per_second: string
    ingress_per_gib: string
    egress_per_gib: string
  }[]
}

export interface OperatedPrices {
  /** Null: none were ever applied. */
  prices: ShownPrices | null
}
