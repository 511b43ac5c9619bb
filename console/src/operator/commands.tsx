import { CopyField } from '../parts/copy-field.tsx'
import styles from './overview.module.css'
import { useOperatorTexts } from './texts/operator-texts.tsx'

interface Props {
  /** Each has its effect and its line. */
  commands: readonly { does: string; line: string }[]
}

/** Acts that this console does not do, with the command of the machine for each. */
export function Commands({ commands }: Props) {
  const t = useOperatorTexts().commands
  return (
    <section className={styles.part}>
      <h2>{t.title}</h2>
      <p>{t.why}</p>
      <ul className={styles.part}>
        {commands.map(({ does, line }) => (
          <li key={line}>
            {does}
            <CopyField label={does} value={line} />
          </li>
        ))}
      </ul>
    </section>
  )
}
