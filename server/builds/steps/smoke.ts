import { profileOf } from '@sandbox-jobs/contract/resources/environments/profile.ts'
import type { Runner } from '../../../agent/port/platform.ts'
import { runtimeOf, type SandboxSpec } from '../../../agent/port/sandbox-spec.ts'
import { inputOf } from '../../../agent/port/start-input.ts'
import { settleAll } from '../../base/settle-all.ts'
import type { ImageConfig } from '../../db/tables/environments.ts'
import { hexOf, installedDigest, type Layer } from '../../images/image-documents.ts'
import { installLayers } from '../../images/install-layers.ts'
import { quarantineKey } from '../../images/oci-layout.ts'
import { composedDigest } from '../../images/provenance/statement.ts'
import type { Build } from '../request/build.ts'
import { BuildFailed } from '../request/build-failed.ts'
import type { BuildRequest } from '../request/build-request.ts'
import { startSandbox } from '../sandboxes/start-sandbox.ts'
import type { Built } from './customer-build/built.ts'
import { dropHostImage } from './drop-host-image.ts'
import type { Step } from './step.ts'

const mib = 1024 ** 2
const busybox = '/.sandbox/busybox'

/** Exit codes of the program. */
const shellProblems: Partial<Record<number, string>> = { 3: 'image_shell_fails', 4: 'image_shell_missing' }

/**
 * Starts the image's own shell, if it has one; an image with /usr/bin/sh and without /bin/sh has lost it. Resolves the image's user with the
 * image's own files, inside the sandbox, so that they affect only this image.
 */
const program = `
if [ -e /bin/sh ] || [ -L /bin/sh ]; then [ "$(/bin/sh -c 'echo started' 2>/dev/null)" = started ] || exit 3
elif [ -e /usr/bin/sh ]; then exit 4
fi
IFS=: read -r user group
case "$user" in '') uid=0 gid=0 ;; *[!0-9]*) uid=$(id -u "$user") gid=$(id -g "$user") || exit 2 ;; *) uid=$user gid=0 ;; esac
case "$group" in '') ;; *[!0-9]*) gid=$(grep -m 1 "^$group:" /etc/group | cut -d: -f3) ;; *) gid=$group ;; esac
echo "started as $uid:$gid"
`
const answer = /^started as (\d{1,5}):(\d{1,5})\n$/
const idsInSandbox = 65_536

export interface Started {
  /** The runner that the image was started on. */
  runner: Runner
  /** The image's configuration, with the user as `uid:gid`. */
  imageConfig: ImageConfig
}

type Needs = Pick<Built, 'layers' | 'imageConfig' | 'reused'>

/**
 * Installs the quarantined image and tests that the platform's shell starts in it, and its own shell. A reused image that was
 * tested on this runner is not started again; its signed configuration has the resolved user.
 */
export const smoke: Step<Needs, Started> = {
  name: 'smoke',
  stage: 'smoke',
  async run(build, { layers, imageConfig, reused }) {
    const { executor, storage } = build.tools
    const open = (_layer: Layer, at: number) => storage.get(quarantineKey(build.request.versionId, at))
    const installing = installLayers(executor, layers, open, build.signal)
    const [runner] = await settleAll([executor.runner(), installing])
    if (reused?.composedDigest === composedDigest(layers, runner)) return { runner, imageConfig }
    const user = await start(build, { digest: installedDigest(layers), user: imageConfig.user, runner })
    return { runner, imageConfig: { ...imageConfig, user } }
  },
  /** Removes the image from the host, whichever step installed it. */
  undo: ({ request, tools, db }, { layers }) =>
    dropHostImage(db, tools, {
      versionId: request.versionId,
      layerDigest: layers && installedDigest(layers),
    }),
}

/** Runs the smoke sandbox and returns the image's user as `uid:gid`. */
async function start(
  { request, tools, signal }: Build,
  { digest, user, runner }: { digest: string; user: string; runner: Runner },
): Promise<string> {
  const { executor } = tools
  // Another runner needs another smoke test.
  const id = `${request.attemptId}_smoke_${hexOf(runner.layerDigest).slice(0, 8)}`
  await startSandbox({ request, tools }, smokeSandbox(id, digest, request), inputOf(Buffer.from(`${user}\n`)))
  const exit = await executor.wait(id, signal)
  const log = Buffer.concat(await (await executor.log(id)).toArray()).toString('utf8')
  if (exit.cause === 'lost') throw new BuildFailed('platform_failed', 'smoke_lost')
  const [, uid, gid] = answer.exec(log) ?? []
  if (exit.exitCode !== 0 || uid === undefined || gid === undefined) {
    throw new BuildFailed(
      'smoke_failed',
      exit.detail ||
        (exit.exitCode === null ? exit.cause : (shellProblems[exit.exitCode] ?? 'image_user_unknown')),
    )
  }
  if (Number(uid) >= idsInSandbox || Number(gid) >= idsInSandbox) {
    throw new BuildFailed('smoke_failed', 'image_user_out_of_range')
  }
  return `${uid}:${gid}`
}

function smokeSandbox(id: string, digest: string, request: BuildRequest): SandboxSpec {
  const profile = profileOf(request.resourceProfile)
  return {
    id,
    rootfs: { kind: 'image', digest },
    argv: [busybox, 'sh', '-c', program],
    env: { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' },
    user: { uid: 0, gid: 0 },
    hostname: 'smoke',
    runtime: runtimeOf[request.isolation],
    confinement: 'job',
    network: 'none',
    limits: {
      timeoutMs: 30_000,
      memoryBytes: profile.provider_memory_mib * mib,
      workspaceBytes: 16 * mib,
      workspaceKind: 'memory',
      workspaceInodes: 1024,
      vcpu: 1,
      pids: 32,
      openFiles: 256,
      logBytes: 64 * 1024,
    },
    collect: { files: [] },
  }
}
