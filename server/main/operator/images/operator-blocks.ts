import { isBeingBuilt } from '../../../builds/attempts/last-build-store.ts'
import type { BlockedDigest } from '../../../environments/catalogue/digest-block-store.ts'
import {
  blockDigest,
  listBlockedDigests,
  unblockDigest,
} from '../../../environments/operator/digest-blocks.ts'
import { resumeBuilds, stopBuilds } from '../../../operations/acts/build-acts.ts'
import { actOnService, doHere, type Outcome, onLocalService } from '../local-service.ts'

/** Blocks an image in every company. Returns the affected versions. */
export const blockImage = (digest: string, reason: string): Outcome<string[]> =>
  actOnService({ act: 'image_block', subject: digest, details: { reason } }, ({ db }) =>
    blockDigest(db, { digest, reason, isBeingBuilt }),
  )

/** Returns the versions whose state was restored; undefined: the digest is not blocked. */
export const unblockImage = (digest: string): Outcome<string[] | undefined> =>
  actOnService({ act: 'image_unblock', subject: digest }, ({ db }) => unblockDigest(db, digest))

export const readBlocks = (): Outcome<BlockedDigest[]> => onLocalService(({ db }) => listBlockedDigests(db))

export const stopBuildsHere = (minutes: number): Outcome<Date> => doHere(stopBuilds(minutes))

export const resumeBuildsHere = (): Outcome<boolean> => doHere(resumeBuilds())
