// Any other model client: three wrapped calls. Here the model is asked with fetch.
import { generation, rag, retrieval } from './ragvigil.ts'
import { provider } from './tracing.ts'
import { search, shown } from './water.ts'

const question = process.argv[2]
const model = 'gpt-4o-mini'

async function complete(context: string) {
  const response = await fetch(`${process.env.OPENAI_BASE_URL ?? 'https://api.openai.com/v1'}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${process.env.OPENAI_API_KEY}` },
    body: JSON.stringify({
      model,
      messages: [
        { role: 'system', content: `Answer only from these passages, and cite them.\n${context}` },
        { role: 'user', content: question },
      ],
    }),
  })
  if (!response.ok) throw new Error(`the model answered ${response.status}`)
  const said = await response.json()
  return {
    text: said.choices[0].message.content as string, model: said.model as string,
    inputTokens: said.usage.prompt_tokens as number, outputTokens: said.usage.completion_tokens as number,
  }
}

const answer = await rag(question, async () => {
  const passages = await retrieval(question, () => search(question))
  return (await generation(model, question, () => complete(shown(passages)))).text
})
console.log(answer)
await provider.shutdown()
