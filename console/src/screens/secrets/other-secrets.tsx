import type { SecretBinding } from '@sandbox-jobs/contract/resources/secrets/secret-binding.ts'
import { useState } from 'react'
import type { Consumer } from '../../data/rooms/secrets.ts'
import { Button } from '../../parts/button.tsx'
import { IdText } from '../../parts/id-text.tsx'
import rows from '../../parts/row-list.module.css'
import { useTexts } from '../../texts/texts.tsx'
import { RemoveDialog } from './remove-dialog.tsx'
import styles from './secrets.module.css'

interface Props {
  secrets: readonly SecretBinding[]
  consumer: Consumer
}

/** Values for jobs that this room does not offer, which are of use elsewhere or left over. */
export function OtherSecrets({ secrets, consumer }: Props) {
  const t = useTexts()
  if (secrets.length === 0) return null
  return (
    <section className={styles.job}>
      <h2>{t.secrets.others}</h2>
      <ul className={rows.list}>
        {secrets.map((secret) => (
          <OtherRow key={secret.id} secret={secret} consumer={consumer} />
        ))}
      </ul>
    </section>
  )
}

function OtherRow({ secret, consumer }: { secret: SecretBinding; consumer: Consumer }) {
  const t = useTexts()
  const [isAsked, setIsAsked] = useState(false)
  const { task_id, slot_name } = secret
  return (
    <li>
      <div className={rows.words}>
        <code>{slot_name}</code>
        <span className={styles.state}>
          {t.secrets.ofTask} <IdText id={task_id} />
        </span>
      </div>
      <Button icon="trash" label={t.secrets.removeNamed(slot_name)} onPress={() => setIsAsked(true)}>
        {t.secrets.remove}
      </Button>
      {isAsked && (
        <RemoveDialog address={{ ...consumer, task_id, slot_name }} onClose={() => setIsAsked(false)} />
      )}
    </li>
  )
}
