import type { MacKeys } from '../../base/keys/rotated-key.ts'
import type { Database } from '../../db/database.ts'
import { listLiveLinksOfAll, type PublicLinkRow, revokeLink } from './public-link-store.ts'
import { hashLinkToken, makeLinkToken } from './public-links.ts'

/* Permanent links under a former key, which end when it is retired. */

export async function countFormerLinks(db: Database, keys: MacKeys): Promise<number> {
  let count = 0
  for await (const _ of formerLinks(db, keys)) count += 1
  return count
}

/** Revokes them; may be interrupted and called again. */
export async function endFormerLinks(db: Database, keys: MacKeys, at: Date): Promise<void> {
  for await (const link of formerLinks(db, keys)) await revokeLink(db, link, at)
}

async function* formerLinks(
  db: Database,
  keys: MacKeys,
): AsyncGenerator<Pick<PublicLinkRow, 'id' | 'company_id'>> {
  let after = ''
  for (;;) {
    const links = await listLiveLinksOfAll(db, after)
    for (const link of links)
      if (!hashLinkToken(makeLinkToken(keys.live()[0], link.id)).equals(link.token_hash)) yield link
    const last = links.at(-1)
    if (!last) return
    after = last.id
  }
}
