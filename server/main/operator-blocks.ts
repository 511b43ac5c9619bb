import type { BlockedDigest } from '../environments/digest-block-store.ts'
import { blockDigest, listBlockedDigests, unblockDigest } from '../environments/digest-blocks.ts'
import { onLocalService, type ServiceRefusal } from './local-service.ts'

type Outcome<T> = Promise<{ ok: true; value: T } | ServiceRefusal>

/** Stops an image in every company. Answers the versions that have it. */
export const blockImage = (digest: string, reason: string): Outcome<string[]> =>
  onLocalService(({ db }) => blockDigest(db, digest, reason))

/** Answers the versions that have their state back; undefined: the digest is not blocked. */
export const unblockImage = (digest: string): Outcome<string[] | undefined> =>
  onLocalService(({ db }) => unblockDigest(db, digest))

export const readBlocks = (): Outcome<BlockedDigest[]> => onLocalService(({ db }) => listBlockedDigests(db))
