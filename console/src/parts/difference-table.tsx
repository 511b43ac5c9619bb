import { useTexts } from '../texts/texts.tsx'
import styles from './difference-table.module.css'
import table from './table.module.css'
import { TenantText } from './tenant-text.tsx'

interface Difference {
  name: string
  /** Lines of text; undefined if nobody knows them. */
  before: string | undefined
  after: string | undefined
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
          const areKnown = row.before !== undefined && row.after !== undefined
          const isSame = areKnown && row.before === row.after
          return (
            <tr key={row.name}>
              <th scope="row">{row.name}</th>
              <td className={styles.value}>
                <Value text={row.before} />
              </td>
              <td className={styles.value} data-tone={areKnown && !isSame ? 'warning' : undefined}>
                {isSame ? <Words text={t.compare.same} /> : <Value text={row.after} />}
              </td>
            </tr>
          )
        })}
      </tbody>
    </table>
  )
}

function Value({ text }: { text: string | undefined }) {
  const t = useTexts()
  return text === undefined ? <Words text={t.compare.notKnown} /> : <TenantText text={text} />
}

/** In place of a value. */
const Words = ({ text }: { text: string }) => <span className={styles.words}>{text}</span>
