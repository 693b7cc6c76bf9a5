package printable

import (
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Tables of Unicode 15.0 that package unicode does not have.

// set has characters and ranges of them, such as a-z, in their order.
type set string

func (s set) has(r rune) bool {
	after := sort.Search(len(s), func(i int) bool {
		for !utf8.RuneStart(s[i]) {
			i--
		}
		c, _ := utf8.DecodeRuneInString(strings.TrimPrefix(string(s[i:]), "-"))
		return c > r
	})
	return strings.HasSuffix(string(s[:after]), string(r)) || strings.HasPrefix(string(s[after:]), "-")
}

// hidden has what nobody sees: Default_Ignorable_Code_Point, control and formatting characters, separators of lines, variation
// selectors, and code points that are no characters.
var hidden = &unicode.RangeTable{
	R16: []unicode.Range16{
		{0x0000, 0x001f, 1}, {0x007f, 0x009f, 1}, {0x00ad, 0x00ad, 1}, {0x034f, 0x034f, 1}, {0x061c, 0x061c, 1},
		{0x115f, 0x1160, 1}, {0x17b4, 0x17b5, 1}, {0x180b, 0x180f, 1}, {0x200b, 0x200f, 1}, {0x2028, 0x202e, 1},
		{0x2060, 0x206f, 1}, {0x3164, 0x3164, 1}, {0xfdd0, 0xfdef, 1}, {0xfe00, 0xfe0f, 1}, {0xfeff, 0xfeff, 1},
		{0xffa0, 0xffa0, 1}, {0xfff0, 0xfffb, 1}, {0xfffe, 0xffff, 1},
	},
	R32: []unicode.Range32{
		{0x13430, 0x1343f, 1}, {0x1bca0, 0x1bca3, 1}, {0x1d173, 0x1d17a, 1}, {0x1fffe, 0x1ffff, 1},
		{0x2fffe, 0x2ffff, 1}, {0x3fffe, 0x3ffff, 1}, {0x4fffe, 0x4ffff, 1}, {0x5fffe, 0x5ffff, 1},
		{0x6fffe, 0x6ffff, 1}, {0x7fffe, 0x7ffff, 1}, {0x8fffe, 0x8ffff, 1}, {0x9fffe, 0x9ffff, 1},
		{0xafffe, 0xaffff, 1}, {0xbfffe, 0xbffff, 1}, {0xcfffe, 0xcffff, 1}, {0xdfffe, 0xe0fff, 1},
		{0xefffe, 0xeffff, 1}, {0xffffe, 0xfffff, 1}, {0x10fffe, 0x10ffff, 1},
	},
	LatinOffset: 3,
}

// pictures has what a joiner makes one picture of: Extended_Pictographic.
const pictures set = "©®‼⁉™ℹ↔-↙↩-↪⌚-⌛⌨⎈⏏⏩-⏳⏸-⏺Ⓜ▪-▫▶◀◻-◾☀-★☇-☒☔-⚅" +
	"⚐-✅✈-✒✔✖✝✡✨✳-✴❄❇❌❎❓-❕❗❣-❧➕-➗➡➰➿⤴-⤵⬅-⬇⬛-⬜⭐⭕" +
	"〰〽㊗㊙🀀-\U0001f0ff🄍-🄏🄯🅬-🅱🅾-🅿🆎🆑-🆚🆭-\U0001f1e5🈁-\U0001f20f🈚" +
	"🈯🈲-🈺\U0001f23c-\U0001f23f\U0001f249-🏺🐀-🔽🕆-🙏🚀-\U0001f6ff🝴-🝿🟕-\U0001f7ff" +
	"\U0001f80c-\U0001f80f\U0001f848-\U0001f84f\U0001f85a-\U0001f85f\U0001f888-\U0001f88f\U0001f8ae-\U0001f8ff" +
	"🤌-🤺🤼-🥅🥇-\U0001faff\U0001fc00-\U0001fffd"

// joining has the scripts in whose words a joiner changes a letter's form: those with cursive letters, a virama or a stacker.
var joining = []*unicode.RangeTable{
	unicode.Adlam, unicode.Arabic, unicode.Balinese, unicode.Bengali, unicode.Bhaiksuki, unicode.Brahmi,
	unicode.Chakma, unicode.Chorasmian, unicode.Devanagari, unicode.Dives_Akuru, unicode.Dogra,
	unicode.Grantha, unicode.Gujarati, unicode.Gunjala_Gondi, unicode.Gurmukhi, unicode.Hanifi_Rohingya,
	unicode.Javanese, unicode.Kaithi, unicode.Kannada, unicode.Kawi, unicode.Kharoshthi, unicode.Khmer,
	unicode.Khojki, unicode.Malayalam, unicode.Mandaic, unicode.Manichaean, unicode.Masaram_Gondi,
	unicode.Meetei_Mayek, unicode.Modi, unicode.Mongolian, unicode.Myanmar, unicode.Nandinagari, unicode.Newa,
	unicode.Nko, unicode.Old_Uyghur, unicode.Oriya, unicode.Phags_Pa, unicode.Psalter_Pahlavi,
	unicode.Saurashtra, unicode.Sharada, unicode.Siddham, unicode.Sinhala, unicode.Sogdian, unicode.Soyombo,
	unicode.Sundanese, unicode.Syloti_Nagri, unicode.Syriac, unicode.Tai_Tham, unicode.Takri, unicode.Tamil,
	unicode.Telugu, unicode.Tirhuta, unicode.Zanabazar_Square,
}

// flags has what follows U+1F3F4 in the flags that are made of tags.
var flags = []string{"\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f", "\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f", "\U000e0067\U000e0062\U000e0077\U000e006c\U000e0073\U000e007f"}

// emoji has the characters that have an emoji and a text style.
const emoji set = "#*0-9©®‼⁉™ℹ↔-↙↩-↪⌚-⌛⌨⏏⏩-⏪⏭-⏯⏱-⏳⏸-⏺Ⓜ▪-▫▶◀◻-◾☀-☄" +
	"☎☑☔-☕☘☝☠☢-☣☦☪☮-☯☸-☺♀♂♈-♓♟-♠♣♥-♦♨♻♾-♿⚒-⚗⚙" +
	"⚛-⚜⚠-⚡⚧⚪-⚫⚰-⚱⚽-⚾⛄-⛅⛈⛏⛑⛓-⛔⛩-⛪⛰-⛵⛷-⛺⛽✂✈-✉✌-✍✏✒" +
	"✔✖✝✡✳-✴❄❇❓❗❣-❤➡⤴-⤵⬅-⬇⬛-⬜⭐⭕〰〽㊗㊙🀄🅰-🅱🅾-🅿🈂" +
	"🈚🈯🈷🌍-🌏🌕🌜🌡🌤-🌬🌶🍸🍽🎓🎖-🎗🎙-🎛🎞-🎟🎧🎬-🎮🏂🏄" +
	"🏆🏊-🏎🏔-🏠🏭🏳🏵🏷🐈🐕🐟🐦🐿👁-👂👆-👉👍-👎👓👪👽💣💰" +
	"💳💻💿📋📚📟📤-📦📪-📭📷📹-📻📽🔈🔍🔒-🔓🕉-🕊🕐-🕧🕯-🕰" +
	"🕳-🕹🖇🖊-🖍🖐🖥🖨🖱-🖲🖼🗂-🗄🗑-🗓🗜-🗞🗡🗣🗨🗯🗳🗺😐🚇" +
	"🚍🚑🚔🚘🚭🚲🚹-🚺🚼🛋🛍-🛏🛠-🛥🛩🛰🛳"

// variants returns the characters of which Unicode defines a variant that a selector chooses.
func variants(selector rune) set {
	switch selector {
	case '\u180b':
		return "ᠠ-ᠦᠨᠪᠬ-ᠭᠰᠲ-ᠳᠵ-ᠶᠸᡄ-ᡉᡍ-ᡎᡝ-ᡞᡠᡣᡨ-ᡩᡯᡳ-ᡴᡶᢀ-ᢁᢇ-ᢈᢊ"
	case '\u180c':
		return "ᠠᠥ-ᠦᠨᠬ-ᠭᠰᠶᡇᡞᡨᡳ-ᡴᢇ"
	case '\u180d':
		return "ᠨᠬ-ᠭᡳ-ᡴᢇ"
	case '\ufe00':
		return "0ကဂငတ-ထပမ-ယလ-ဝဢ\u1031ၵၸၺႀℋℐℒℛℬℰ-ℱℳ∅∩-∪≨-≩≲-≳" +
			"⊊-⊋⊓-⊕⊗⊜⋚-⋛⨼-⨽⪝-⪞⪬-⪭⫋-⫌、-。㒞㒹㒻㓟㔕㛮㛼㞁㠯㡢㡼㣇㣣㤜㤺" +
			"㨮㩬㫤㬈㬙㭉㮝㰘㱎㴳㶖㺬㺸㼛㿼䀈䀘䀹䁆䂖䃣䄯䈂䈧䊠䌁䌴䍙䏕䏙䐋䑫䔫䕝䕡䕫" +
			"䗗䗹䘵䚾䛇䦕䧦䩮䩶䪲䬳䯎䳎䳭䳸䵖不並串丸-丹丽乁亂了亮什仌令你侀來例侮侻" +
			"便倂倫偺備像僚僧兀充免兔兤內-兩六具冀再冒冕冗冤冬况冷凉凌凜凞凵刃切列利" +
			"刺-刻剆割剷劉力劣劳勇勉勒勞勤勵勺包-匆北匿卉卑博即卵卽卿參及叟句叫叱吆吏" +
			"吝吸呂呈周咞咢咽哶唐啓啕啣善喇喙喝喫喳嗀嗂嗢嘆噑器噴囹圖-圗型城埴堍報-堲" +
			"塀塚塞墨墬墳壘壟壮売壷夆多夢奄奈契奔奢女姘姬娛娧婢婦媵嬈嬨嬾宅寃寘寧寮寳" +
			"寿将尢尿屠屢層-履屮岍峀崙嵃嵐嵫嵮嵼嶲嶺巡-巢巽帨帽幩年度庰庳庶廉-廊廒-廓" +
			"廙廬廾弄弢当形彩彫律徚復徭忍志念忹怒怜恵悁悔惇惘惡愈慄慈慌慎慠慨慺憎憐憤" +
			"憯憲懞懲懶戀成戛戮戴扝抱拉拏拓-拔拼拾挽捐捨捻掃掠掩揄-揅揤搜搢摒摩摷摾撚" +
			"撝擄敏敖敬數料旅既-旣易晉晴暈暑暜暴曆更書最朗望朡李杓杖杞杻枅林柳柺栗栟" +
			"桒梁梅梎梨椔楂榣槪樂樓檨櫓櫛欄次歔歲歷歹殟殮殺-殻汎汧沈沿泌-泍泥洖洛洞洴" +
			"派流浩-浪海-浸涅淋淚淪淹渚港湮溜溺滇滋滑滛漏漢-漣潮濆濫濾瀛瀞瀹灊灰灷災炙" +
			"炭烈烙煅煉煮熜燎燐爐爛爨爫爵牐牢犀犕犯狀狼猪獵獺率王玥玲珞理琉琢瑇瑜瑩瑱" +
			"璅璉璘瓊甆甤画甾留略異痢瘐瘝瘟療癩益盛盧直省眞-真着睊瞋瞧硎硫碌碑磊磌磻" +
			"礪礼社祈-祉祐祖祝-神祥祿禍-福禮秊秫稜穀穊穏突窱立竮笠節篆築簾籠类粒精糒糖" +
			"糣糧-糨紀紐索累絛絣綠綾緇練縂縉縷繁繅缾署罹-罺羅羕羚羽翺老者聆聠聯-聰聾肋" +
			"肭育脃脾臘臨臭舁舄舘良艹芋芑芝花芳芽若-苦茝茣茶荒-荓荣莭莽菉-菊菌菜菧華菱" +
			"落葉著蓮蓱蓳蓼蔖蕤藍藺蘆蘒蘭蘿虐虜虧虩蚈蚩蛢蜎蜨蝫蝹螆螺蟡蠁蠟行衠衣裂裏" +
			"裗裞裡裸裺褐襁襤覆見視誠說調請諒論諭諸諾謁謹識讀變豈豕貫賁-賂賈賓贈贛起" +
			"趼跋路-跰車軔輦輪輸輻轢辞辰辶連逸遲遼邏邔郎郞郱都鄑鄛酪醙醴里量金鈴鈸鉶" +
			"鉼鋗-鋘錄鍊鏹鐕開閭閷阮陋降陵陸陼隆隣隷-隸雃離-難零-雷霣露靈靖韛韠響頋領" +
			"頩頻類飢飯飼館-餩馧駂駱駾驪鬒魯鱀鱗鳽鵧鶴鷺鸞鹿麗麟麻黎黹黾鼅鼏鼖鼻齃" +
			"龍-龎龜ꡖꡜꡞ-ꡠꡨꩠ-ꩦꩫ-ꩬꩯꩺ！，．０：-；？𐫅-𐫆𐫖-𐫗𐫡𓂑-𓂒𓄏𓄜" +
			"𓄡𓄧𓄹𓆠𓆱𓆸-𓆹𓇋𓇹-𓇺𓉿𓊅𓊌𓊪𓋋𓋜𓋧𓌇𓌛𓌢𓌻-𓌼𓍷-𓍸" +
			"𓎙-𓎚𓏓𓏲𓏵-𓏶𓐃𓐖𓐙-𓐚𓐣𓑃-𓑆𝒜𝒞-𝒟𝒢𝒥-𝒦𝒩-𝒬𝒮-𝒵𠄢𠔜" +
			"𠔥𠕋𠘺𠠄𠣞𠨬𠭣𡓤𡚨𡛪𡧈𡬘𡴋𡷤𡷦𢆃𢆟𢌱𢛔𢡄𢡊𢬌𢯱𣀊𣊸𣍟𣎓" +
			"𣎜𣏃𣏕𣑭𣚣𣢧𣪍𣫺𣲼𣴞𣻑𣽞𣾎𤉣𤋮𤎫𤘈𤜵𤠔𤰶𤲒𤾡𤾸𥁄𥃲-𥃳" +
			"𥄙𥄳𥉉𥐝𥘦𥚚𥛅𥥼𥪧𥮫𥲀𥳐𥾆𦇚𦈨𦉇𦋙𦌾𦓚𦔣𦖨𦞧𦞵𦬼𦰶𦳕𦵫" +
			"𦼬𦾱𧃒𧏊𧙧𧢮𧥦𧲨𧻓𧼯𨗒𨗭𨜮𨯺𨵷𩅅𩇟𩈚𩐊𩒖𩖶𩬰𪃎𪄅𪈎𪊑𪎒" +
			"𪘀"
	case '\ufe01':
		return "ℋℐℒℛℬℰ-ℱℳ、-。㮝㺸䀹侮僧免况切勇勉勤勺北卑卿善喙喝嘆塚嬾寧屮廊弢" +
			"悔慌慎憎懲懶敏晴暑朗望梅樂殺流海滋漢瀞煮爵猪率瑱異益直真睊碌磌祖福穀節練" +
			"者舁艹若著虜蝹視說諭諸諾謁謹變贈輸逸難靖響頋頻鬒龜！，．：-；？𓂓𓂩𓆇" +
			"𓆱𓇮𓇸-𓇺𓉗𓉿𓊤𓌈𓌒-𓌔𓌛𓌡-𓌢𓌱𓐙𝒜𝒞-𝒟𝒢𝒥-𝒦𝒩-𝒬𝒮-𝒵" +
			"𢌱𥪧"
	case '\ufe02':
		return "卿寧憎懲朗樂殺流練者頋龜𓄗𓄹𓆃𓆠𓆺𓇮𓈖𓉻𓊤𓋧𓋩𓋸𓋽𓌂-𓌃𓌐-𓌔" +
			"𓌜𓌡𓌱𓍊𓍡𓍳𓍽𓎅𓎯-𓎰𓎿𓏝𓐙𓐬𓐮"
	case '\ufe0e', '\ufe0f':
		return emoji
	}
	return ""
}
