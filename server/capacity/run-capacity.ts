import { timeoutDefaultSeconds } from '@sandbox-jobs/contract/limits.ts'
import { defaultProfile, profileOf, profiles } from '@sandbox-jobs/contract/resources/environments/profile.ts'
import type { Config } from '../base/config/config.ts'
import { buildMemory } from './build-memory.ts'

/**
 * The slots and memory that the runs of all companies share on one executor, and the parts reserved so that a company
 * without a run can start one at once. No run is ever killed to make room.
 */
export interface RunCapacity {
  /** Maximum concurrent runs. */
  slots: number
  /** Slots reserved for the first run of a company. */
  reserved: number
  /** Reserved slots that only short runs may use. */
  reservedForShort: number
  /** Memory of all sandboxes together, including those of builds. */
  memoryMib: number
  /** Memory reserved for the first run of a company, if it is short and of the smallest profile. */
  reservedMemoryMib: number
  /** Memory reserved for builds, also while there are none. */
  buildMemoryMib: number
}

/** A run with a timeout up to this is short (the column `lane` of `runs` uses the same bound). */
export const shortRunSeconds = timeoutDefaultSeconds

const slotsPerReserved = 8
/** At most a fourth of the memory is reserved for runs. A build's share is reserved if the machine has four times as much. */
const keptPart = 4
const standardMib = profileOf(defaultProfile).provider_memory_mib
const smallBuildMib = buildMemory.standard
/** More than any machine has: memory sets no bound. */
const unboundedMib = 2 ** 30

interface RunCapacityOptions {
  slots: number
  /** Absent: one in eight, at least one; with a single slot none. */
  reserved?: number | undefined
  /** Absent: memory sets no bound. */
  memoryMib?: number | undefined
}

export function runCapacity({
  slots,
  reserved: wanted,
  memoryMib = unboundedMib,
}: RunCapacityOptions): RunCapacity {
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

/** The capacity of several executors together, each of which keeps its own reserved parts. */
export const totalCapacity = (parts: readonly RunCapacity[]): RunCapacity => {
  const sum = (part: keyof RunCapacity) => parts.reduce((total, capacity) => total + capacity[part], 0)
  return {
    slots: sum('slots'),
    reserved: sum('reserved'),
    reservedForShort: sum('reservedForShort'),
    memoryMib: sum('memoryMib'),
    reservedMemoryMib: sum('reservedMemoryMib'),
    buildMemoryMib: sum('buildMemoryMib'),
  }
}

export const configuredCapacity = (
  config: Pick<Config, 'runSlots' | 'reservedRunSlots' | 'sandboxMemoryMib'>,
): RunCapacity =>
  runCapacity({
    slots: config.runSlots,
    reserved: config.reservedRunSlots,
    memoryMib: config.sandboxMemoryMib,
  })

/**
 * The most memory that one run counts for. A profile larger than the machine would never fit, so it gets what the machine
 * has. It fits together with all reservations and with the runs that use them.
 */
export const wholeMemoryMib = ({ memoryMib, reservedMemoryMib, buildMemoryMib }: RunCapacity): number =>
  Math.max(standardMib, memoryMib - 2 * reservedMemoryMib - buildMemoryMib)

/** All memory except the part reserved for the first runs of companies. */
export const sharedMemoryMib = ({ memoryMib, reservedMemoryMib }: RunCapacity): number =>
  memoryMib - reservedMemoryMib

/** Memory that a run of the profile counts for, in MiB. */
export const memoryOfRun = (capacity: RunCapacity, profile: string): number =>
  Math.min(profileOf(profile).provider_memory_mib, wholeMemoryMib(capacity))

/** Memory that a run counts for, by profile. */
export const memoryByProfile = (capacity: RunCapacity): [profile: string, mib: number][] =>
  profiles.map(({ id }) => [id, memoryOfRun(capacity, id)])

/**
 * The most memory that one build counts for. As with runs, a build that is larger than the machine fits together with the
 * first runs of companies that started before it and of those that start while it waits.
 */
const wholeBuildMib = (capacity: RunCapacity): number =>
  Math.min(
    sharedMemoryMib(capacity),
    Math.max(standardMib, capacity.memoryMib - 2 * capacity.reservedMemoryMib),
  )

/** Memory that a build counts for, by profile. */
export const memoryByBuildProfile = (capacity: RunCapacity): [profile: string, mib: number][] =>
  Object.entries(buildMemory).map(([profile, mib]) => [profile, Math.min(mib, wholeBuildMib(capacity))])

/** The most memory that a build counts for. */
export const largestBuildMib = (capacity: RunCapacity): number =>
  Math.max(...memoryByBuildProfile(capacity).map(([, mib]) => mib))
