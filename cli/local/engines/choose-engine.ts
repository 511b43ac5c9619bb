import { CliError, exitCodes } from '../../failure.ts'
import { ContainerEngine } from './container-engine.ts'
import { CrunEngine } from './crun-engine.ts'
import type { Engine, ImageSource } from './engine.ts'
import { finish } from './program.ts'

export const engineNames = ['docker', 'podman', 'crun'] as const
export type EngineName = (typeof engineNames)[number]

/** Commands that succeed where an engine can be used: a client of Docker without its service cannot. */
const probes: Record<EngineName, string[]> = {
  docker: ['docker', 'version', '--format', '{{.Server.Version}}'],
  podman: ['podman', 'version', '--format', '{{.Client.Version}}'],
  crun: ['crun', '--version'],
}

/** The wanted engine, or the first that this machine has. Only crun runs a folder with a root file system. */
export async function chooseEngine(source: ImageSource, wanted?: EngineName): Promise<Engine> {
  const candidates = wanted ? [wanted] : source.kind === 'rootfs' ? (['crun'] as const) : engineNames
  for (const name of candidates) {
    if ((await finish(probes[name])).code === 0)
      return name === 'crun' ? new CrunEngine() : new ContainerEngine(name)
  }
  throw new CliError(
    wanted ? `${wanted} cannot be used on this machine.` : 'This machine has nothing that runs containers.',
    {
      hint:
        wanted === 'docker'
          ? 'Install it, start its service, and check that this user may use it: docker version'
          : `Install ${wanted ?? (source.kind === 'rootfs' ? 'crun' : 'docker or podman, or crun and buildah')}.`,
      code: 'cli_local_engine',
      exitCode: exitCodes.usage,
    },
  )
}
