declare module '*.module.css' {
  const classes: Readonly<Record<string, string>>
  export default classes
}

declare module '*.css' {}

declare module '*?worker&url' {
  const url: string
  export default url
}

interface ImportMeta {
  readonly env: { readonly BASE_URL: string }
}
