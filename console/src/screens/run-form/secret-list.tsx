import type { SecretSlotStatus } from '@sandbox-jobs/contract/resources/tasks/secret-slot.ts'
import { Fact, Facts } from '../../parts/facts.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { StoreSecret } from '../rooms/store-secret.tsx'
import styles from './run-form.module.css'

/** The secrets that the job gets, which are no fields of a form. */
export function SecretList({ cid, slots }: { cid: string; slots: readonly SecretSlotStatus[] }) {
  const t = useTexts()
  return (
    <section className={styles.part}>
      <h2>{t.form.secrets}</h2>
      <Facts>
        {slots.map(({ name, effective_source: source }) => (
          <Fact key={name} name={name}>
            {source === 'missing' ? (
              <>
                {t.form.secretMissing} <StoreSecret cid={cid} />
              </>
            ) : (
              t.form.secretReady
            )}
          </Fact>
        ))}
      </Facts>
    </section>
  )
}
