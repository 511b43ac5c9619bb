import { plainText } from '@sandbox-jobs/contract/plain-text.ts'
import type { Membership } from '@sandbox-jobs/contract/resources/companies/membership.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api } from '../../data/api/api.ts'
import { mayBeInRooms, membersOf, people, readMembersAgain } from '../../data/company/directory.ts'
import { Button } from '../../parts/button.tsx'
import { CheckBox } from '../../parts/check-box.tsx'
import { ErrorBox } from '../../parts/error-box.tsx'
import { Panel } from '../../parts/panel.tsx'
import rows from '../../parts/row-list.module.css'
import { TenantText } from '../../parts/tenant-text.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { AddPerson } from '../company/add-person.tsx'
import styles from '../company/company.module.css'

/** The people of a room. Each of them may manage it. */
export function Members({ cid }: { cid: string }) {
  const t = useTexts()
  const queries = useQueryClient()
  const members = useQuery(membersOf(cid))
  const { data: everybody = [] } = useQuery(people)
  const change = useMutation({
    mutationFn: (act: () => Promise<unknown>) => act(),
    onSuccess: () => readMembersAgain(queries),
  })
  const put = (uid: string, manages: boolean) =>
    change.mutate(() =>
      api.call(allRoutes.putMember, { params: { cid, uid }, body: { room_manager: manages } }),
    )
  const remove = (uid: string) =>
    change.mutate(() => api.call(allRoutes.deleteMember, { params: { cid, uid } }))
  const inRoom = new Set(members.data?.map(({ user_id }) => user_id))
  const others = everybody.filter((person) => !inRoom.has(person.id) && mayBeInRooms(person))
  return (
    <section className={styles.part}>
      <h2>{t.companyRooms.members}</h2>
      {change.error && <ErrorBox error={change.error} />}
      <Panel query={members} empty={(all) => all.length === 0 && t.companyRooms.noMembers}>
        {(all) => (
          <ul className={rows.list}>
            {all.map((member) => (
              <Member
                key={member.user_id}
                member={member}
                isBusy={change.isPending}
                onManages={(manages) => put(member.user_id, manages)}
                onRemove={() => remove(member.user_id)}
              />
            ))}
          </ul>
        )}
      </Panel>
      <AddPerson
        label={t.companyRooms.addMember}
        people={others}
        isBusy={change.isPending}
        onAdd={({ id }) => put(id, false)}
      />
    </section>
  )
}

interface Props {
  member: Membership
  isBusy: boolean
  onManages: (manages: boolean) => void
  onRemove: () => void
}

function Member({ member, isBusy, onManages, onRemove }: Props) {
  const t = useTexts()
  const { user_id: uid, display_name: name, room_manager: manages } = member
  return (
    <li>
      <Link to="/company/people/$uid" params={{ uid }} className={styles.name}>
        <TenantText text={name} />
      </Link>
      <CheckBox
        isChecked={manages}
        isDisabled={isBusy}
        label={t.companyRooms.managesNamed(plainText(name))}
        onCheck={onManages}
      >
        {t.companyRooms.manages}
      </CheckBox>
      <Button label={t.company.removeNamed(name)} isBusy={isBusy} onPress={onRemove}>
        {t.company.remove}
      </Button>
    </li>
  )
}
