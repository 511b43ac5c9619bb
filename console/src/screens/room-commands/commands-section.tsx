import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { roomCommandsOf } from '../../data/rooms/commands.ts'
import { ErrorBox } from '../../parts/error-box.tsx'
import rows from '../../parts/row-list.module.css'
import { TenantText } from '../../parts/tenant-text.tsx'
import { useTexts } from '../../texts/texts.tsx'
import styles from '../tables/tables.module.css'

/** The commands that the people of a room may use. Nothing is drawn for a room without commands, as most are. */
export function CommandsSection({ cid }: { cid: string }) {
  const t = useTexts().tables
  const commands = useQuery(roomCommandsOf(cid))
  if (commands.error) return <ErrorBox error={commands.error} onRetry={() => void commands.refetch()} />
  if (commands.data === undefined || commands.data.length === 0) return null
  return (
    <section className={styles.part}>
      <h2>{t.parts.commands}</h2>
      <ul className={rows.list}>
        {commands.data.map(({ id, name, description }) => (
          <li key={id}>
            <div className={rows.words}>
              <Link to="/chatrooms/$cid/commands/$command" params={{ cid, command: id }}>
                <TenantText text={name} />
              </Link>
              {description !== '' && <TenantText text={description} />}
            </div>
          </li>
        ))}
      </ul>
    </section>
  )
}
