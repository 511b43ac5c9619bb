import { Link } from '@tanstack/react-router'
import type { SessionPath } from '../../data/rooms/sessions.ts'
import rows from '../../parts/row-list.module.css'
import { TenantText } from '../../parts/tenant-text.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { foldersOf } from './paths.ts'

/** The folders that lead to the shown one, each a link. */
export function FolderTrail({ place, path }: { place: SessionPath; path: string | undefined }) {
  const t = useTexts().sessions
  if (path === undefined) return null
  return (
    <nav aria-label={t.folders} className={rows.detail}>
      <Link to="/chatrooms/$cid/sessions/$sid" params={place} search={{}}>
        {t.whole}
      </Link>
      {foldersOf(path).map((folder) => (
        <Link
          key={folder.path}
          to="/chatrooms/$cid/sessions/$sid"
          params={place}
          search={{ path: folder.path }}
        >
          <TenantText text={folder.name} />
        </Link>
      ))}
    </nav>
  )
}
