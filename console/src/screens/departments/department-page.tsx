import type { Department } from '@sandbox-jobs/contract/resources/companies/department.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../../data/api/api.ts'
import { companyRooms, departmentOf, readDirectoryAgain } from '../../data/company/directory.ts'
import { Button } from '../../parts/button.tsx'
import { NameDialog } from '../../parts/name-dialog.tsx'
import { Page } from '../../parts/page.tsx'
import { Panel } from '../../parts/panel.tsx'
import rows from '../../parts/row-list.module.css'
import { TenantText } from '../../parts/tenant-text.tsx'
import { useTexts } from '../../texts/texts.tsx'
import styles from '../company/company.module.css'
import { useCompanyTrail } from '../company/use-company-trail.ts'
import { NewRoom } from '../company-rooms/new-room.tsx'
import { isNotFound } from '../not-found/is-not-found.ts'
import { NotFoundPage } from '../not-found/not-found-page.tsx'
import { Managers } from './managers.tsx'

/** A department with its managers and its rooms. */
export function DepartmentPage() {
  const t = useTexts()
  const { id } = useParams({ from: '/signed-in/company/departments/$id' })
  const department = useQuery(departmentOf(id))
  const [isNaming, setIsNaming] = useState(false)
  useCompanyTrail('departments')
  if (isNotFound(department.error)) return <NotFoundPage />
  const name = department.data?.name ?? ''
  return (
    <Page
      title={name}
      actions={
        <Button icon="draft" onPress={() => setIsNaming(true)}>
          {t.company.rename}
        </Button>
      }
    >
      <Panel query={department}>
        {(shown) => (
          <>
            <Managers departmentId={id} />
            <Rooms departmentId={id} />
            {isNaming && <Rename department={shown} onClose={() => setIsNaming(false)} />}
          </>
        )}
      </Panel>
    </Page>
  )
}

function Rename({ department, onClose }: { department: Department; onClose: () => void }) {
  const t = useTexts()
  const queries = useQueryClient()
  const rename = useMutation({
    mutationFn: (name: string) =>
      api.call(allRoutes.updateDepartment, { params: { id: department.id }, body: { name } }),
    onSuccess: async () => {
      await readDirectoryAgain(queries)
      onClose()
    },
  })
  return (
    <NameDialog
      title={t.company.rename}
      act={t.company.save}
      before={department.name}
      mutation={rename}
      onClose={onClose}
    />
  )
}

function Rooms({ departmentId }: { departmentId: string }) {
  const t = useTexts()
  const list = useQuery({
    ...companyRooms,
    select: (all) => all.filter(({ department_id }) => department_id === departmentId),
  })
  const [isCreating, setIsCreating] = useState(false)
  return (
    <section className={styles.part}>
      <h2>{t.company.parts.chatrooms}</h2>
      <Panel query={list} empty={(all) => all.length === 0 && t.companyRooms.none}>
        {(all) => (
          <ul className={rows.list}>
            {all.map(({ id, name }) => (
              <li key={id}>
                <Link to="/company/chatrooms/$cid" params={{ cid: id }}>
                  <TenantText text={name} />
                </Link>
              </li>
            ))}
          </ul>
        )}
      </Panel>
      <div>
        <Button icon="plus" onPress={() => setIsCreating(true)}>
          {t.companyRooms.create}
        </Button>
      </div>
      {isCreating && <NewRoom departmentId={departmentId} onClose={() => setIsCreating(false)} />}
    </section>
  )
}
