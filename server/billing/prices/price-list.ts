import type { RegionCode } from '@sandbox-jobs/contract/resources/environments/region.ts'

/** The rate of one kind of work, by profile and region. */
export interface Rate {
  kind: 'run' | 'build'
  profile: string
  region: RegionCode
  perSecondMicro: number
  ingressPerGibMicro: number
  egressPerGibMicro: number
}

/** Values that all prices have in common: what is billed at least, and what a hold reserves. */
export interface Bounds {
  minimumBilledSeconds: number
  finalizationSeconds: number
  /** 0 where received bytes have no price. */
  inboundReservationBytes: number
  outboundReservationBytes: number
}

/** The prices of a deployment. `rateVersion` names the rates and `boundVersion` the bounds. */
export interface PriceList extends Bounds {
  currency: string
  rateVersion: string
  boundVersion: string
  rates: Rate[]
}

/** One value of a list as a person reads it. */
type Line = readonly [name: string, value: string]

const rateLines = (rate: Rate): Line[] => {
  const of = `${rate.region} ${rate.kind} ${rate.profile}`
  return [
    [`${of} per_second`, String(rate.perSecondMicro)],
    ...(rate.kind === 'run'
      ? ([
          [`${of} ingress_per_gib`, String(rate.ingressPerGibMicro)],
          [`${of} egress_per_gib`, String(rate.egressPerGibMicro)],
        ] as const)
      : []),
  ]
}

export const ratesOf = (list: PriceList): Map<string, string> => new Map(list.rates.flatMap(rateLines))

export const boundsOf = (list: Bounds): Map<string, string> =>
  new Map([
    ['minimum_billed_seconds', String(list.minimumBilledSeconds)],
    ['finalization_seconds', String(list.finalizationSeconds)],
    ['inbound_reservation_bytes', String(list.inboundReservationBytes)],
    ['outbound_reservation_bytes', String(list.outboundReservationBytes)],
  ])

/** A value that differs between two lists. Undefined: it is not in that list. */
export interface Difference {
  name: string
  before: string | undefined
  after: string | undefined
}

export function differences(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): Difference[] {
  const names = [...new Set([...before.keys(), ...after.keys()])].toSorted()
  return names
    .map((name) => ({ name, before: before.get(name), after: after.get(name) }))
    .filter((each) => each.before !== each.after)
}
