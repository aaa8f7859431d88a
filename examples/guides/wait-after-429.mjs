const headers = { Authorization: `Bearer ${process.env.ANIMAL_STORE_API_KEY}` };

/** Reads a path of the API. If the quota is used up, the function waits and tries again. */
async function get(path) {
  for (;;) {
    const response = await fetch(`http://127.0.0.1:3000/v1${path}`, { headers });
    if (response.ok) return await response.json();
    // If the quota of the day is used up or the key is banned, the wait is long. Notify somebody
    // instead of waiting.
    const seconds = Number(response.headers.get('Retry-After'));
    if (response.status !== 429 || seconds > 120) throw new Error(await response.text());
    await new Promise((resolve) => setTimeout(resolve, (seconds + Math.random()) * 1000));
  }
}

console.log((await get('/pets?limit=5')).length, 'animals');
