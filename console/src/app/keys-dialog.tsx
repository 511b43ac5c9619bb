import { useQueryClient } from '@tanstack/react-query'
import { keepPreference } from '../data/person/preferences.ts'
import { useStore } from '../data/store.ts'
import { Dialog } from '../parts/dialog.tsx'
import { useTexts } from '../texts/texts.tsx'
import { keysOf, offered, singleKeys } from './actions.ts'
import { type ActionId, actionIds, keyActions } from './keys.ts'
import styles from './keys-dialog.module.css'

/** The keys of this screen, and the switch for those without a modifier. */
export function KeysDialog({ onClose }: { onClose: () => void }) {
  const t = useTexts()
  const queries = useQueryClient()
  const isOn = useStore(singleKeys)
  const now = useStore(offered)
  function choose(isChosen: boolean): void {
    singleKeys.set(isChosen)
    void keepPreference(queries, { single_keys: isChosen })
  }
  const here = actionIds.filter((id) => !keyActions[id].isEverywhere && now.has(id))
  return (
    <Dialog title={t.keys.title} onClose={onClose}>
      <KeyList title={t.keys.everywhere} ids={actionIds.filter((id) => keyActions[id].isEverywhere)} />
      {here.length > 0 && <KeyList title={t.keys.here} ids={here} />}
      <label className={styles.switch}>
        <input type="checkbox" checked={isOn} onChange={() => choose(!isOn)} />
        {t.keys.singleKeys}
      </label>
    </Dialog>
  )
}

function KeyList({ title, ids }: { title: string; ids: readonly ActionId[] }) {
  const t = useTexts()
  return (
    <section>
      <h3>{title}</h3>
      <dl className={styles.list}>
        {ids.map((id) => (
          <div key={id}>
            <dt>{keyActions[id].text(t)}</dt>
            <dd>
              <kbd>{keysOf(id)}</kbd>
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
