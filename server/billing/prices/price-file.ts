import { buildProfiles, resourceProfiles } from '@sandbox-jobs/contract/resources/environments/profile.ts'
import {
  type Deployment,
  type RegionCode,
  regionsOf,
} from '@sandbox-jobs/contract/resources/environments/region.ts'
import { FieldReader, type FilePath, parseYamlFile, YamlFileInvalid } from '../../base/yaml-file.ts'
import { microOf } from '../money.ts'
import type { PriceList, Rate } from './price-list.ts'

const topFields = [
  'currency',
  'rate_version',
  'bound_version',
  'minimum_billed_seconds',
  'finalization_seconds',
  'inbound_reservation_bytes',
  'outbound_reservation_bytes',
  'regions',
] as const
const regionFields = ['profiles', 'builds', 'ingress_per_gib', 'egress_per_gib'] as const
const version = {
  pattern: /^[A-Za-z0-9._-]{1,64}$/,
  expected: '1 to 64 letters, digits, dots, hyphens or underscores',
}
const secondsMax = 86_400
/** A million units of the currency. */
const rateMaxMicro = 1_000_000_000_000

/**
 * Reads a price file (YAML or JSON) of the form of `pricing` in the settings, with `builds` beside `profiles` in a region
 * where builds have a price. Throws `YamlFileInvalid` with every problem and its line. Money is quoted text, since a number
 * in YAML may lose digits.
 */
export function readPriceFile(text: string, deployment: Deployment): PriceList {
  const file = parseYamlFile(text)
  const reader = new PriceReader()
  const list = reader.priceList(
    file.value,
    regionsOf(deployment).map(({ code }) => code),
  )
  if (!list || reader.problems.length > 0) throw new YamlFileInvalid(file.locate(reader.problems))
  return list
}

class PriceReader extends FieldReader {
  priceList(value: unknown, regions: readonly RegionCode[]): PriceList | undefined {
    const fields = this.fields(value, [], topFields)
    if (!fields) return undefined
    const rates = this.#regions(fields.regions, regions)
    return {
      currency: this.choice(fields.currency, ['currency'], ['USD']) ?? '',
      rateVersion: this.text(fields.rate_version, ['rate_version'], version) ?? '',
      boundVersion: this.text(fields.bound_version, ['bound_version'], version) ?? '',
      minimumBilledSeconds: this.#count(fields, 'minimum_billed_seconds', secondsMax),
      finalizationSeconds: this.#count(fields, 'finalization_seconds', secondsMax),
      inboundReservationBytes: this.#reservation(
        { inbound_reservation_bytes: 0, ...fields },
        'inbound_reservation_bytes',
        rates.some(({ ingressPerGibMicro }) => ingressPerGibMicro > 0),
      ),
      outboundReservationBytes: this.#reservation(
        fields,
        'outbound_reservation_bytes',
        rates.some(({ egressPerGibMicro }) => egressPerGibMicro > 0),
      ),
      rates,
    }
  }

  /** Bytes that a run may use where they have a price: none would stop each run with a network. */
  #reservation(fields: Record<string, unknown>, name: string, isPriced: boolean): number {
    const bytes = this.#count(fields, name, Number.MAX_SAFE_INTEGER)
    if (isPriced && fields[name] === 0)
      this.note(
        [name],
        'must be above 0 where these bytes have a price: a run is ended when it has used them up',
      )
    return bytes
  }

  #regions(value: unknown, known: readonly RegionCode[]): Rate[] {
    const regions = this.fields(value, ['regions'], known) ?? {}
    if (Object.keys(regions).length === 0) this.note(['regions'], 'must name at least one region')
    return known
      .filter((code) => regions[code] !== undefined)
      .flatMap((code) => this.#region(regions[code], code))
  }

  #region(value: unknown, region: RegionCode): Rate[] {
    const path = ['regions', region]
    const fields = this.fields(value, path, regionFields)
    if (!fields) return []
    const traffic = {
      ingressPerGibMicro: this.#money(fields.ingress_per_gib, [...path, 'ingress_per_gib']),
      egressPerGibMicro: this.#money(fields.egress_per_gib, [...path, 'egress_per_gib']),
    }
    const profiles = this.#rates(fields.profiles, [...path, 'profiles'], resourceProfiles)
    const builds =
      fields.builds === undefined ? [] : this.#rates(fields.builds, [...path, 'builds'], buildProfiles)
    const missing = buildProfiles.filter(
      (id) => builds.length > 0 && !builds.some((each) => each.profile === id),
    )
    for (const id of missing)
      this.note([...path, 'builds'], `has no ${id}: give all profiles of builds, or no builds`)
    return [
      ...profiles.map((rate) => ({ kind: 'run' as const, region, ...rate, ...traffic })),
      ...builds.map((rate) => ({
        kind: 'build' as const,
        region,
        ...rate,
        ingressPerGibMicro: 0,
        egressPerGibMicro: 0,
      })),
    ]
  }

  #rates(
    value: unknown,
    path: FilePath,
    known: readonly string[],
  ): Pick<Rate, 'profile' | 'perSecondMicro'>[] {
    const profiles = this.fields(value, path, known)
    if (!profiles) return []
    const given = known.filter((id) => profiles[id] !== undefined)
    if (given.length === 0) this.note(path, `must name at least one of ${known.join(', ')}`)
    return given.map((profile) => {
      const at = [...path, profile]
      const fields = this.fields(profiles[profile], at, ['per_second'])
      return { profile, perSecondMicro: fields ? this.#money(fields.per_second, [...at, 'per_second']) : 0 }
    })
  }

  #money(value: unknown, path: FilePath): number {
    if (value === undefined) this.note(path, 'is missing')
    const micro = typeof value === 'string' ? microOf(value) : undefined
    if (micro !== undefined && micro <= rateMaxMicro) return micro
    if (value !== undefined)
      this.note(
        path,
        'must be an amount in quotes, at most 1000000 with at most 6 decimals, such as "0.000010"',
      )
    return 0
  }

  #count(fields: Record<string, unknown>, name: string, max: number): number {
    const value = fields[name]
    if (Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= max) return Number(value)
    this.note([name], value === undefined ? 'is missing' : `must be a whole number from 0 to ${max}`)
    return 0
  }
}
