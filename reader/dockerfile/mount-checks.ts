import { posix } from 'node:path'
import { checkStep } from './check-step.ts'
import type { Dockerfile } from './dockerfile.ts'
import { DockerfileRefused } from './dockerfile-refused.ts'
import { type Mount, mountsOf } from './mount-flag.ts'
import { earlierStage, type StagedInstruction } from './stages.ts'

/*
 * The builder makes the target of a mount in its own root if a link of the image is on the way to it, since it follows the link there.
 * So a step of the platform before such a RUN walks each target in the image, in the program `mounts` of the build script.
 */

/** A working directory: an absolute path, or one below the working directory of base image N, `@N` and the path. */
type WorkingDirectory = string | undefined

/** Adds the checks. Refuses a relative target where the working directory is not certain. */
export function withMountChecks(dockerfile: Dockerfile): Dockerfile {
  const { stages, bases } = dockerfile
  /** By stage, after the instructions so far. */
  const directories: WorkingDirectory[] = []
  const startOf = (stage: number): WorkingDirectory => {
    const from = stages[stage]?.from ?? 'scratch'
    if (from === 'scratch') return '/'
    const origin = earlierStage(from, stage, stages)
    return origin === undefined ? `@${bases.indexOf(from)}/` : directories[origin]
  }
  const instructions = dockerfile.instructions.map((instruction) => {
    const { keyword, stage, line, rest } = instruction
    if (keyword === 'FROM') directories[stage] = startOf(stage)
    if (keyword === 'WORKDIR') directories[stage] = changed(directories[stage], rest)
    const mounts = mountsOf(instruction)
    if (mounts.length === 0) return instruction
    const words = mounts.flatMap((mount) => [kindOf(mount), targetIn(directories[stage], mount, line)])
    return {
      ...instruction,
      check: checkStep('mounts', [String(line), ...words]),
    } satisfies StagedInstruction
  })
  return { ...dockerfile, instructions }
}

/** The kind of content in the mount: `steps` for what steps made, who may have made links, otherwise `plain`. */
const kindOf = ({ kind, from }: Mount) => (kind === 'cache' || from !== undefined ? 'steps' : 'plain')

/** As the builder joins it; undefined if the path has variables or other text whose meaning is not certain. */
function changed(directory: WorkingDirectory, written: string): WorkingDirectory {
  const [, path] = /^"?([A-Za-z0-9_.@+~/-]+)"?$/.exec(written) ?? []
  if (path === undefined || path.startsWith('@') || path.split('/').includes('..')) return undefined
  return path.startsWith('/') ? posix.normalize(path) : directory && posix.join(directory, path)
}

function targetIn(directory: WorkingDirectory, { target }: Mount, line: number): string {
  if (target.startsWith('/')) return target
  if (directory === undefined) throw new DockerfileRefused('mount_target_uncertain', line)
  return posix.join(directory, target)
}
