import type { SecretBinding } from '@sandbox-jobs/contract/resources/secrets/secret-binding.ts'
import type { MenuItem } from '@sandbox-jobs/contract/resources/tasks/menu.ts'
import { useQuery } from '@tanstack/react-query'
import { menuOf } from '../../data/rooms/menu.ts'
import { type Consumer, secretsOf } from '../../data/rooms/secrets.ts'
import { Panel } from '../../parts/panel.tsx'
import rows from '../../parts/row-list.module.css'
import { TenantText } from '../../parts/tenant-text.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { ApprovalLine } from './approval-line.tsx'
import { secretsElsewhere, slotsOf, slotsToApprove } from './job-slots.ts'
import { OtherSecrets } from './other-secrets.tsx'
import styles from './secrets.module.css'
import { SlotRow } from './slot-row.tsx'

interface Props {
  cid: string
  /** The last is the one whose secrets are shown; a run asks those before it first. */
  consumers: readonly Consumer[]
}

/** The slots of each job of the room, with the values that one consumer has stored. */
export function ConsumerSecrets({ cid, consumers }: Props) {
  const t = useTexts()
  const menu = useQuery(menuOf(cid))
  const secrets = useQuery(secretsOf(consumers))
  const isEmpty = (items: readonly MenuItem[], lists: readonly (readonly SecretBinding[])[]) =>
    items.every(({ secret_slots }) => secret_slots.length === 0) && (lists.at(-1) ?? []).length === 0
  return (
    <Panel query={menu}>
      {(items) => (
        <Panel query={secrets} empty={(lists) => isEmpty(items, lists) && t.secrets.none}>
          {(lists) => <Shown items={items} consumers={consumers} lists={lists} />}
        </Panel>
      )}
    </Panel>
  )
}

interface ShownProps {
  items: readonly MenuItem[]
  consumers: readonly Consumer[]
  lists: readonly (readonly SecretBinding[])[]
}

function Shown({ items, consumers, lists }: ShownProps) {
  const consumer = consumers.at(-1)
  const own = lists.at(-1) ?? []
  const narrower = lists.slice(0, -1).flat()
  if (consumer === undefined) return null
  return (
    <>
      {items
        .filter(({ secret_slots }) => secret_slots.length > 0)
        .map((item) => (
          <section key={item.task_id} className={styles.job}>
            <h2>
              <TenantText text={item.task_name} />
            </h2>
            <ul className={rows.list}>
              {slotsOf(item, consumer, own).map((slot) => (
                <SlotRow key={slot.slot.name} taskId={item.task_id} slot={slot} consumer={consumer} />
              ))}
            </ul>
            <ApprovalLine
              item={item}
              consumer={consumer}
              slotNames={slotsToApprove(item, consumer, { own, narrower })}
            />
          </section>
        ))}
      <OtherSecrets secrets={secretsElsewhere(items, own)} consumer={consumer} />
    </>
  )
}
