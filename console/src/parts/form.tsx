import type { ReactNode } from 'react'

interface Props {
  className: string | undefined
  onSubmit: () => void
  children: ReactNode
}

/** A form whose fields show their own errors: the browser neither checks it nor leaves the page. */
export const Form = ({ className, onSubmit, children }: Props) => (
  <form
    className={className}
    noValidate
    onSubmit={(event) => {
      event.preventDefault()
      onSubmit()
    }}
  >
    {children}
  </form>
)
