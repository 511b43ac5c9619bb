import { isDeepStrictEqual } from 'node:util'
import { ArchiveRefused } from '../formats/archive-refused.ts'
import { record } from './image-manifest.ts'

/** A name or an id, and optionally a group after a colon. No characters that a shell interprets. */
export const userPattern = /^([a-z0-9_][a-z0-9_.-]{0,63}(:[a-z0-9_][a-z0-9_.-]{0,63})?)?$/i

const maxVolumes = 64
/** An absolute path without `.` and `..`, printable. */
const volumePath = /^(?:\/(?!\.{1,2}(?:\/|$))[^/\p{Cc}]{1,255}){1,32}\/?$/u
/** Paths that the kernel and the platform use. */
const reservedVolume = /^\/(?:dev|proc|sys|run|tmp|workspace|\.sandbox)(?:\/|$)/

/**
 * Checks the rules of decision D7 for the configuration of a base image: for linux/amd64, with these layers, no
 * ONBUILD instructions, a plain user and plain volumes. Throws `ArchiveRefused`.
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
