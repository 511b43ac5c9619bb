import type { Chatroom } from '@sandbox-jobs/contract/resources/companies/chatroom.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../../data/api/api.ts'
import { companyRoomOf, departments, membersOf, readDirectoryAgain } from '../../data/company/directory.ts'
import { Button } from '../../parts/button.tsx'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { NameDialog } from '../../parts/name-dialog.tsx'
import { Page } from '../../parts/page.tsx'
import { Panel } from '../../parts/panel.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { useCompanyTrail } from '../company/use-company-trail.ts'
import { isNotFound } from '../not-found/is-not-found.ts'
import { NotFoundPage } from '../not-found/not-found-page.tsx'
import { DepartmentField } from './department-field.tsx'
import { Members } from './members.tsx'

/** A room as the directory has it: its department and its people. */
export function CompanyRoomPage() {
  const t = useTexts()
  const { cid } = useParams({ from: '/signed-in/company/chatrooms/$cid' })
  const room = useQuery(companyRoomOf(cid))
  const [asked, setAsked] = useState<'change' | 'delete'>()
  const close = () => setAsked(undefined)
  useCompanyTrail('chatrooms')
  if (isNotFound(room.error) || (room.data?.deleted_at ?? null) !== null) return <NotFoundPage />
  const name = room.data?.name ?? ''
  return (
    <Page
      title={name}
      detail={
        <Link to="/chatrooms/$cid" params={{ cid }}>
          {t.companyRooms.open}
        </Link>
      }
      actions={
        <>
          <Button icon="draft" onPress={() => setAsked('change')}>
            {t.companyRooms.change}
          </Button>
          <Button icon="trash" onPress={() => setAsked('delete')}>
            {t.companyRooms.remove}
          </Button>
        </>
      }
    >
      <Panel query={room}>
        {(shown) => (
          <>
            <Members cid={cid} />
            {asked === 'change' && <ChangeRoom room={shown} onClose={close} />}
            {asked === 'delete' && <DeleteRoom room={shown} onClose={close} />}
          </>
        )}
      </Panel>
    </Page>
  )
}

interface Props {
  room: Chatroom
  onClose: () => void
}

/** Another name, or another department, which takes away what was shared with the room. */
function ChangeRoom({ room, onClose }: Props) {
  const t = useTexts()
  const queries = useQueryClient()
  const { data: all = [] } = useQuery(departments)
  const [department, setDepartment] = useState(room.department_id)
  const isMoved = department !== room.department_id
  const change = useMutation({
    mutationFn: (name: string) =>
      api.call(allRoutes.updateChatroom, {
        params: { cid: room.id },
        body: { name, ...(isMoved && { department_id: department }) },
      }),
    onSuccess: async () => {
      await readDirectoryAgain(queries)
      onClose()
    },
  })
  return (
    <NameDialog
      title={t.companyRooms.change}
      act={t.company.save}
      before={room.name}
      mutation={change}
      onClose={onClose}
    >
      <DepartmentField
        departments={all}
        value={department}
        onValue={setDepartment}
        help={isMoved ? t.companyRooms.moveWhy : undefined}
      />
    </NameDialog>
  )
}

function DeleteRoom({ room, onClose }: Props) {
  const t = useTexts()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const { data: members = [] } = useQuery(membersOf(room.id))
  const remove = useMutation({
    mutationFn: () => api.call(allRoutes.deleteChatroom, { params: { cid: room.id } }),
    onSuccess: async () => {
      await navigate({ to: '/company/chatrooms' })
      await readDirectoryAgain(queries)
    },
  })
  return (
    <ConfirmDialog
      title={t.companyRooms.removeNamed(room.name)}
      act={t.companyRooms.remove}
      isDanger
      mutation={remove}
      onClose={onClose}
    >
      <p>{t.companyRooms.removeWhy(members.length)}</p>
    </ConfirmDialog>
  )
}
