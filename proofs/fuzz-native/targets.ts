import { resolve } from 'node:path'
import { agentSources } from '../../server/native-programs/programs.ts'
import { collectSeeds, maskSeeds, resolverSeeds, startSeeds, unpackSeeds } from './seeds.ts'

const collectParts = ['shim/collect/outputs.c', 'shim/collect/known.c', 'common/sha256.c']
const resolverParts = ['questions', 'dns', 'lists', 'shares', 'streams', 'control']

export interface FuzzTarget {
  /** Sources of the executor, in addition to `targets/NAME.c`. */
  sources: readonly string[]
  flags?: readonly string[]
  seeds: () => Buffer[]
}

/** Programs that read bytes of tenants or of the network. */
export const targets: Record<string, FuzzTarget> = {
  unpack: { sources: ['unpack/tar.c', 'unpack/entries.c'], seeds: unpackSeeds },
  collect: { sources: collectParts, seeds: collectSeeds },
  'collect-by-parts': { sources: collectParts, flags: ['-Wl,--wrap=syscall'], seeds: collectSeeds },
  resolver: {
    sources: resolverParts.map((name) => `resolver/${name}.c`),
    flags: ['-Wl,--wrap=sendto', '-Wl,--wrap=accept4'],
    seeds: resolverSeeds,
  },
  start: {
    sources: ['common/clock.c'],
    flags: ['-I../../kubernetes/native'],
    seeds: startSeeds,
  },
  mask: { sources: ['shim/log/mask-forms.c'], seeds: maskSeeds },
}

const here = import.meta.dirname
/** Folder of inputs that found a fault; every check runs them again. */
export const keptFolder = (target: string): string => resolve(here, 'kept', target)

export type Compiler = 'clang' | 'cc'

/** The compiler arguments for a target with the sanitizers: with libFuzzer for clang, with `replay.c` for any compiler. */
export function buildCommand(name: string, target: FuzzTarget, compiler: Compiler, output: string) {
  const withFuzzer = compiler === 'clang'
  const flags = [
    ...['-g', '-O1', '-std=gnu11', '-Wall', '-Wextra', '-I.', ...(target.flags ?? [])],
    withFuzzer ? '-fsanitize=fuzzer,address,undefined' : '-fsanitize=address,undefined',
    '-fno-sanitize-recover=undefined',
  ]
  const own = [resolve(here, `targets/${name}.c`), ...(withFuzzer ? [] : [resolve(here, 'replay.c')])]
  return { args: [...flags, '-o', output, ...own, ...target.sources], cwd: agentSources }
}
