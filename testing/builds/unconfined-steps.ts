import type { SandboxSpec } from '../../agent/port/sandbox-spec.ts'

const edits = [
  [' --cap-drop CAP_SYS_CHROOT', ''],
  ['"SETFCAP"]', '"SETFCAP","SYS_CHROOT"]'],
] as const

/**
 * A build whose steps may leave the builder's chroot, for tests of the remaining controls when the chroot has failed.
 */
export function withUnconfinedSteps(spec: SandboxSpec): SandboxSpec {
  if (spec.rootfs.kind !== 'builder') return spec
  const argv = spec.argv.map((word) => edits.reduce((text, [from, to]) => text.replaceAll(from, to), word))
  if (argv.join() === spec.argv.join()) throw new Error('the builder confines its steps differently')
  return { ...spec, argv }
}
