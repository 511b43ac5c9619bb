import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { environments, environmentVersionsOf } from '../../data/authoring/environments.ts'
import { type Done, type UploadPlan, type UploadStep, uploadVersion } from './version-upload.ts'

/** Uploads an archive, makes a version of it and goes to its build. After a failure it goes on where it has stopped. */
export function useVersionUpload() {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const [step, setStep] = useState<UploadStep>('create')
  const [share, setShare] = useState(0)
  const done = useRef<{ plan: string; done: Done }>({ plan: '', done: { key: '' } })
  const controller = useRef(new AbortController())
  useEffect(() => () => controller.current.abort(), [])
  const upload = useMutation({
    mutationFn: (plan: UploadPlan) => {
      controller.current = new AbortController()
      const { file } = plan
      const written = JSON.stringify([plan, file.name, file.size, file.lastModified])
      if (written !== done.current.plan) done.current = { plan: written, done: { key: crypto.randomUUID() } }
      const { signal } = controller.current
      return uploadVersion(plan, done.current.done, { onStep: setStep, onSent: setShare, signal })
    },
    onSuccess: async ({ id, vid, aid }) => {
      void queries.invalidateQueries(environments)
      void queries.invalidateQueries(environmentVersionsOf(id))
      await (aid === undefined
        ? navigate({ to: '/environments/$id/versions/$vid', params: { id, vid } })
        : navigate({ to: '/environments/$id/versions/$vid/builds/$aid', params: { id, vid, aid } }))
    },
  })
  return { upload, step, share, stop: () => controller.current.abort() }
}
