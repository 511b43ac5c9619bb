import { addAbortSignal } from 'node:stream'
import { profileOf } from '@sandbox-jobs/contract/resources/profile.ts'
import { allEnded } from '../../base/all-ended.ts'
import { runtimeOf } from '../../environments/isolation.ts'
import type { SandboxSpec } from '../../executor/port.ts'
import { BuildFailed } from '../build-failed.ts'
import { wasStartedOn } from '../cache/reuse-image.ts'
import { hexOf } from '../image-documents.ts'
import { openQuarantined } from '../oci-layout.ts'
import { startSandbox } from './start-sandbox.ts'
import { type Build, type BuildOrder, type BuildStep, found } from './step.ts'

const mib = 1024 ** 2
const busybox = '/.sandbox/busybox'

/** Resolves the image's user by the image's own files, inside: what they say can only hurt this image. */
const program = `
IFS=: read -r user group
case "$user" in '') uid=0 gid=0 ;; *[!0-9]*) uid=$(id -u "$user") gid=$(id -g "$user") || exit 2 ;; *) uid=$user gid=0 ;; esac
case "$group" in '') ;; *[!0-9]*) gid=$(grep -m 1 "^$group:" /etc/group | cut -d: -f3) ;; *) gid=$group ;; esac
echo "started as $uid:$gid"
`
const answer = /^started as (\d{1,5}):(\d{1,5})\n$/
const idsInSandbox = 65_536

/**
 * Installs the quarantined image under its digest and proves that the platform's shell starts in it. An image that was
 * taken over has been started on this runner, and what is signed about it holds the user that was found there.
 */
export const smoke: BuildStep = {
  stage: 'smoke',
  attemptStates: [],
  versionStates: [],
  async run(build: Build) {
    const { executor, storage } = build.tools
    const { diffId } = found(build, 'layer')
    const [runner, isOnHost] = await allEnded([executor.runner(), executor.hasImage(diffId)])
    build.findings.runner = runner
    if (!isOnHost) {
      const layer = await openQuarantined(storage, build.order.versionId)
      await executor.installImage(diffId, addAbortSignal(build.signal, layer))
    }
    if (wasStartedOn(build)) return
    const config = found(build, 'imageConfig')
    build.findings.imageConfig = { ...config, user: await start(build, diffId, config.user) }
  },
}

/** Runs the smoke sandbox and answers the image's user as `uid:gid`. */
async function start(build: Build, digest: string, user: string): Promise<string> {
  const { order, tools, signal } = build
  const { executor } = tools
  // A runner that took the place of another starts the image too.
  const id = `${order.attemptId}_smoke_${hexOf(found(build, 'runner').layerDigest).slice(0, 8)}`
  await startSandbox(build, smokeSandbox(id, digest, order), Buffer.from(`${user}\n`))
  const exit = await executor.wait(id, signal)
  const log = Buffer.concat(await (await executor.log(id)).toArray()).toString('utf8')
  if (exit.cause === 'lost') throw new BuildFailed('platform_failed', 'smoke_lost')
  const [, uid, gid] = answer.exec(log) ?? []
  if (exit.exitCode !== 0 || uid === undefined || gid === undefined) {
    throw new BuildFailed(
      'smoke_failed',
      exit.detail || (exit.exitCode === null ? exit.cause : 'image_user_unknown'),
    )
  }
  if (Number(uid) >= idsInSandbox || Number(gid) >= idsInSandbox) {
    throw new BuildFailed('smoke_failed', 'image_user_out_of_range')
  }
  return `${uid}:${gid}`
}

function smokeSandbox(id: string, digest: string, order: BuildOrder): SandboxSpec {
  const profile = profileOf(order.resourceProfile)
  return {
    id,
    rootfs: { kind: 'image', digest },
    argv: [busybox, 'sh', '-c', program],
    env: { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' },
    user: { uid: 0, gid: 0 },
    hostname: 'smoke',
    runtime: runtimeOf[order.isolation],
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
