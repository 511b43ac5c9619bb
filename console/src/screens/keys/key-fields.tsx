import { useQuery } from '@tanstack/react-query'
import { companyRooms, mayBeInRooms, people, personLabel } from '../../data/company/directory.ts'
import { CheckList } from '../../parts/check-list.tsx'
import { Field } from '../../parts/field.tsx'
import { NameField } from '../../parts/name-field.tsx'
import { Panel } from '../../parts/panel.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { type KeyDraft, type Lifetime, lifetimes, namesRooms } from './key-draft.ts'

interface Props {
  draft: KeyDraft
  /** Somebody has pressed the button: fields without a valid value show an error. */
  isTried: boolean
  onDraft: (draft: KeyDraft) => void
}

/** The fields of a new key. */
export function KeyFields({ draft, isTried, onDraft }: Props) {
  const t = useTexts()
  const rooms = useQuery(companyRooms)
  return (
    <>
      <NameField value={draft.name} isTried={isTried} onValue={(name) => onDraft({ ...draft, name })} />
      <Field label={t.apiKeys.rights} help={t.apiKeys.scopeHelps[draft.scope]}>
        {(tied) => (
          <select
            {...tied}
            value={draft.scope}
            onChange={({ target }) =>
              onDraft({ ...draft, scope: target.value === 'full' ? 'full' : 'sandbox' })
            }
          >
            <option value="sandbox">{t.apiKeys.scopes.sandbox}</option>
            <option value="full">{t.apiKeys.scopes.full}</option>
          </select>
        )}
      </Field>
      {draft.scope === 'sandbox' && (
        <Panel query={rooms} empty={(all) => all.length === 0 && t.companyRooms.none}>
          {(all) => (
            <CheckList
              legend={t.company.parts.chatrooms}
              help={t.apiKeys.roomsHelp}
              error={isTried && !namesRooms(draft) ? t.apiKeys.noRoom : undefined}
              items={all.map(({ id, name }) => ({ id, text: name }))}
              chosen={draft.rooms}
              onChoose={(chosen) => onDraft({ ...draft, rooms: chosen })}
            />
          )}
        </Panel>
      )}
      <OwnerField draft={draft} onDraft={onDraft} />
      <Field label={t.apiKeys.expires}>
        {(tied) => (
          <select
            {...tied}
            value={draft.lifetime}
            onChange={(event) => onDraft({ ...draft, lifetime: event.target.value as Lifetime })}
          >
            {(Object.keys(lifetimes) as Lifetime[]).map((each) => (
              <option key={each} value={each}>
                {t.apiKeys.lifetimes[each]}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field label={t.apiKeys.origins} help={t.apiKeys.originsHelp}>
        {(tied) => (
          <textarea
            {...tied}
            rows={2}
            spellCheck={false}
            value={draft.origins}
            onChange={(event) => onDraft({ ...draft, origins: event.target.value })}
          />
        )}
      </Field>
    </>
  )
}

function OwnerField({ draft, onDraft }: Omit<Props, 'isTried'>) {
  const t = useTexts()
  const { data: everybody = [] } = useQuery(people)
  return (
    <Field label={t.apiKeys.owner} help={t.apiKeys.ownerHelp}>
      {(tied) => (
        <select
          {...tied}
          value={draft.owner}
          onChange={(event) => onDraft({ ...draft, owner: event.target.value })}
        >
          <option value="">{t.apiKeys.me}</option>
          {everybody.filter(mayBeInRooms).map((person) => (
            <option key={person.id} value={person.id}>
              {personLabel(person)}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}
