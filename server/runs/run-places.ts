import { timeoutDefaultSeconds } from '@sandbox-jobs/contract/limits.ts'
import { defaultProfile, profileOf, profiles } from '@sandbox-jobs/contract/resources/profile.ts'
import type { Config } from '../base/config.ts'

/**
 * What the runs of all companies share on one machine, and what of it is kept so that a company which has nothing can
 * start at once: nothing is ever killed to make room.
 */
export interface RunPlaces {
  /** Runs at once. */
  slots: number
  /** Of these, for the first run of a company that has none. */
  reserved: number
  /** Of the reserved ones, for runs that are short. */
  reservedForShort: number
  /** Memory of all sandboxes together, those of builds among them. */
  memoryMib: number
  /** Of it, for short runs of the smallest profile, of a company that has no run. */
  reservedMemoryMib: number
  /** Of it, for builds, also while there are none. */
  buildMemoryMib: number
}

/** A run that may take no longer is short (`lane` of `runs` says the same). */
export const shortRunSeconds = timeoutDefaultSeconds

const slotsPerReserved = 8
/** At most this part of the memory is kept for runs, and of a machine that has four times as much, for a build. */
const keptPart = 4
const standardMib = profileOf(defaultProfile).provider_memory_mib
/** Of a build by the smallest build profile. */
const smallBuildMib = 2048
/** More than any machine has: memory bounds nothing. */
const unboundedMib = 2 ** 30

interface RunPlacesOptions {
  slots: number
  /** Absent: one in eight, at least one; with a single slot none. */
  reserved?: number | undefined
  /** Absent: memory bounds nothing. */
  memoryMib?: number | undefined
}

export function runPlaces({
  slots,
  reserved: wanted,
  memoryMib = unboundedMib,
}: RunPlacesOptions): RunPlaces {
  const reserved = Math.min(wanted ?? Math.max(1, Math.floor(slots / slotsPerReserved)), slots - 1)
  const keptMib = Math.min(reserved, Math.floor(memoryMib / keptPart / standardMib)) * standardMib
  const smallest = reserved > 0 && memoryMib >= 2 * standardMib ? standardMib : 0
  return {
    slots,
    reserved,
    reservedForShort: Math.ceil(reserved / 2),
    memoryMib,
    reservedMemoryMib: Math.max(keptMib, smallest),
    buildMemoryMib: memoryMib >= keptPart * smallBuildMib ? smallBuildMib : 0,
  }
}

export const placesOf = (
  config: Pick<Config, 'runSlots' | 'reservedRunSlots' | 'sandboxMemoryMib'>,
): RunPlaces =>
  runPlaces({
    slots: config.runSlots,
    reserved: config.reservedRunSlots,
    memoryMib: config.sandboxMemoryMib,
  })

/**
 * The most that one run counts for: a profile larger than the machine would never fit, and so takes what there is. It
 * fits beside all that is kept, and beside the runs in it.
 */
export const wholeMemoryMib = ({ memoryMib, reservedMemoryMib, buildMemoryMib }: RunPlaces): number =>
  Math.max(standardMib, memoryMib - 2 * reservedMemoryMib - buildMemoryMib)

/** All but what is kept for the first runs of companies. */
export const memoryForBuildsMib = ({ memoryMib, reservedMemoryMib }: RunPlaces): number =>
  memoryMib - reservedMemoryMib

/** What a run of the profile counts for, in MiB. */
export const memoryOfRun = (places: RunPlaces, profile: string): number =>
  Math.min(profileOf(profile).provider_memory_mib, wholeMemoryMib(places))

/** What runs count for, by profile. */
export const memoryByProfile = (places: RunPlaces): [profile: string, mib: number][] =>
  profiles.map(({ id }) => [id, memoryOfRun(places, id)])
