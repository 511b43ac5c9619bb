import { useTexts } from '../texts/texts.tsx'
import styles from './difference-table.module.css'
import table from './table.module.css'
import { TenantText } from './tenant-text.tsx'

interface Difference {
  name: string
  /** Lines of text. */
  before: string
  after: string
}

interface Props {
  /** Names of the two things. */
  before: string
  after: string
  rows: readonly Difference[]
}

/** Two things side by side, one line each for what they are like. Lines that differ are marked. */
export function DifferenceTable({ before, after, rows }: Props) {
  const t = useTexts()
  return (
    <table className={table.table}>
      <thead>
        <tr>
          <td />
          <th scope="col">{before}</th>
          <th scope="col">{after}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => {
          const isSame = row.before === row.after
          return (
            <tr key={row.name}>
              <th scope="row">{row.name}</th>
              <td className={styles.value}>
                <TenantText text={row.before} />
              </td>
              <td className={styles.value} data-tone={isSame ? undefined : 'warning'}>
                {isSame ? (
                  <span className={styles.same}>{t.compare.same}</span>
                ) : (
                  <TenantText text={row.after} />
                )}
              </td>
            </tr>
          )
        })}
      </tbody>
    </table>
  )
}
