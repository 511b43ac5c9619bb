import { isDeepStrictEqual } from 'node:util'
import { ArchiveRefused } from '../archive/archive-refused.ts'
import { userPattern } from '../image-user.ts'
import { record } from './image-manifest.ts'

const maxVolumes = 64
/** An absolute path without `.` and `..`, printable. */
const volumePath = /^(?:\/(?!\.{1,2}(?:\/|$))[^/\p{Cc}]{1,255}){1,32}\/?$/u
/** What the kernel and the platform have there. */
const reservedVolume = /^\/(?:dev|proc|sys|run|tmp|workspace|\.sandbox)(?:\/|$)/

/**
 * The rules of decision D7 over the configuration of a base image: made for this platform, of these layers, with no
 * instructions of its own, with a user and volumes that are plainly such. Throws `ArchiveRefused`.
 */
export function checkBaseConfig(document: unknown, diffIds: readonly string[]): void {
  const { os, architecture, config, rootfs } = record(document)
  if (os !== 'linux' || architecture !== 'amd64') throw new ArchiveRefused('base_platform_missing')
  if (!isDeepStrictEqual(record(rootfs).diff_ids, diffIds)) throw new ArchiveRefused('base_digest_mismatch')
  const { OnBuild: onBuild, User: user = '', Volumes: volumes } = record(config)
  if (Array.isArray(onBuild) ? onBuild.length > 0 : (onBuild ?? null) !== null) {
    throw new ArchiveRefused('onbuild_forbidden')
  }
  if (typeof user !== 'string' || !userPattern.test(user)) throw new ArchiveRefused('base_user_invalid')
  const paths = Object.keys(record(volumes))
  const arePlain = paths.every((path) => volumePath.test(path) && !reservedVolume.test(path))
  if (paths.length > maxVolumes || !arePlain) throw new ArchiveRefused('base_volume_invalid')
}
