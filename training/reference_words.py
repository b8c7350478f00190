"""Words that made references are composed of: names, publishers, conferences, titles, journals."""

from __future__ import annotations

GIVEN = [
    "Ana",
    "Anna",
    "Andreas",
    "Antoine",
    "Ahmed",
    "Alice",
    "Alexander",
    "Barbara",
    "Bernd",
    "Bruno",
    "Carlos",
    "Catherine",
    "Chen",
    "Christine",
    "Clara",
    "Daniel",
    "David",
    "Diego",
    "Dmitri",
    "Elena",
    "Emily",
    "Eva",
    "Fatima",
    "Felix",
    "Francesca",
    "François",
    "Frank",
    "Georg",
    "Giulia",
    "Günter",
    "Hans",
    "Helen",
    "Hiroshi",
    "Ian",
    "Ingrid",
    "Isabel",
    "Ivan",
    "Jacques",
    "James",
    "Jan",
    "Jean",
    "Jean-Pierre",
    "Joanna",
    "João",
    "John",
    "José",
    "Julia",
    "Jürgen",
    "Karen",
    "Karl",
    "Katharina",
    "Kenji",
    "Laura",
    "Lars",
    "Li",
    "Linda",
    "Luca",
    "Luis",
    "Margaret",
    "Maria",
    "Marie-Claire",
    "Marta",
    "Martin",
    "Mary",
    "Mehmet",
    "Michael",
    "Michel",
    "Mohammed",
    "Nadia",
    "Natalia",
    "Nicolas",
    "Niels",
    "Olga",
    "Olivier",
    "Oscar",
    "Pablo",
    "Patricia",
    "Paul",
    "Pedro",
    "Peter",
    "Philippe",
    "Pierre",
    "Rachel",
    "Rajesh",
    "Robert",
    "Rosa",
    "Ruth",
    "Sara",
    "Sergei",
    "Simon",
    "Sophie",
    "Stefan",
    "Susan",
    "Takashi",
    "Teresa",
    "Thomas",
    "Tim",
    "Ulrich",
    "Ursula",
    "Uwe",
    "Valeria",
    "Vera",
    "Victor",
    "Walter",
    "Wei",
    "William",
    "Xin",
    "Yann",
    "Yuki",
    "Yvonne",
    "Zoe",
]
PUBLISHERS = [
    tuple(line.split("|"))
    for line in """Oxford University Press|Oxford
Cambridge University Press|Cambridge
Cambridge University Press|New York
MIT Press|Cambridge, MA
The MIT Press|Cambridge, Massachusetts
Harvard University Press|Cambridge, Mass.
Princeton University Press|Princeton, NJ
University of Chicago Press|Chicago
University of California Press|Berkeley
Yale University Press|New Haven
Routledge|London
Routledge & Kegan Paul|London
Springer|Berlin
Springer-Verlag|Berlin, Heidelberg
Springer Verlag|New York
Wiley|Hoboken, NJ
John Wiley & Sons|New York
John Wiley and Sons, Inc.|New York
Wiley-Blackwell|Chichester, UK
Blackwell|Oxford
Elsevier|Amsterdam
North-Holland|Amsterdam
Academic Press|San Diego
Academic Press|London
Morgan Kaufmann|San Mateo, CA
Morgan Kaufmann Publishers|San Francisco
Addison-Wesley|Reading, MA
Prentice Hall|Englewood Cliffs, NJ
Prentice-Hall|Upper Saddle River
McGraw-Hill|New York
W. H. Freeman|San Francisco
W. W. Norton|New York
Penguin|Harmondsworth
Penguin Books|London
Sage|Thousand Oaks, CA
SAGE Publications|London
Palgrave Macmillan|Basingstoke
Macmillan|London
Brill|Leiden
De Gruyter|Berlin
Walter de Gruyter|Berlin
Suhrkamp|Frankfurt am Main
C. H. Beck|München
Mohr Siebeck|Tübingen
Vandenhoeck & Ruprecht|Göttingen
Campus Verlag|Frankfurt
VS Verlag für Sozialwissenschaften|Wiesbaden
Gallimard|Paris
Presses Universitaires de France|Paris
PUF|Paris
Seuil|Paris
Armand Colin|Paris
L'Harmattan|Paris
Einaudi|Torino
Il Mulino|Bologna
Laterza|Roma
Alianza|Madrid
Siglo XXI|México
Fondo de Cultura Económica|México
Companhia das Letras|São Paulo
Editora Vozes|Petrópolis
Kluwer|Dordrecht
Kluwer Academic Publishers|Boston
CRC Press|Boca Raton
Chapman & Hall|London
Birkhäuser|Basel
American Mathematical Society|Providence, RI
SIAM|Philadelphia
World Scientific|Singapore
Pergamon Press|Oxford
Plenum Press|New York
Lawrence Erlbaum Associates|Hillsdale, NJ
Edward Elgar|Cheltenham
Verso|London
Duke University Press|Durham
Columbia University Press|New York
ACM|New York, NY, USA
ACM Press|New York
IEEE|Piscataway
IEEE Computer Society Press|Los Alamitos
AAAI Press|Menlo Park, CA
O'Reilly Media|Sebastopol
World Health Organization|Geneva
World Bank|Washington, DC
Brookings Institution|Washington, D.C.
Taylor & Francis|London
Humana Press|Totowa
Nauka|Moscow
PWN|Warszawa
Elsevier Science Publishers B.V.|Amsterdam""".splitlines()
]
FIELDS = """Artificial Intelligence|Machine Learning|Computer Vision|Software Engineering|Human Factors in Computing Systems
Computational Linguistics|Programming Language Design|Parallel Processing|Robotics and Automation|Acoustics, Speech and Signal Processing
Very Large Data Bases|Information Retrieval|Neural Networks|Operating Systems|Genetic Algorithms|Logic Programming|Knowledge Discovery and Data Mining
Computer Graphics|Network Protocols|Theory of Computing|Cognitive Science|Fluid Mechanics|Structural Engineering|Geotechnical Engineering|Renewable Energy""".replace(
    "\n", "|"
).split("|")
CITIES = """San Francisco, CA|Paris, France|Montréal|Vienna, Austria|Tokyo|Seattle, WA, USA|Berlin|Sydney, Australia|Barcelona|Portland, Oregon
Edinburgh|Detroit|Amsterdam|Beijing, China|Lisbon|Boston|Stockholm|Zürich|Melbourne|New Orleans""".replace(
    "\n", "|"
).split("|")
CONFERENCES = ("Proceedings of the {nth} International Conference on {field}", "Proceedings of the {nth} Annual Symposium on {field}",
               "Proc. {nth} Int. Conf. on {field}", "Advances in {field}", "{nth} European Workshop on {field}", "Proceedings of the IEEE Conference on {field}",
               "Proceedings of {acronym} {year}", "{acronym} '{short}: Proceedings of the {nth} ACM Symposium on {field}", "International Conference on {field} ({acronym})",
               "Proceedings of the {year} Conference on {field}", "{field}: {nth} International Workshop, {acronym} {year}, Selected Papers",
               "{year} IEEE International Conference on {field} ({acronym})", "{year} IEEE/CVF Conference on {field}", "{year} {nth} Workshop on {field}", "{acronym} {year}",
               "Proc. of the {nth} ACM SIGPLAN Conference on {field}", "Proceedings of the National Conference on {field}")  # fmt: skip
SERIES = (
    "Lecture Notes in Computer Science",
    "Studies in Logic",
    "Graduate Texts in Mathematics",
    "Cambridge Tracts in Mathematics",
    "IFIP Transactions",
    "Suhrkamp Taschenbuch Wissenschaft",
)
UNIVERSITIES = ("Stanford University", "University of Cambridge", "Massachusetts Institute of Technology", "Universität Wien", "Université Paris 8", "University of Toronto", "ETH Zürich",
                "University of Illinois at Urbana-Champaign", "Universidad de Chile", "Humboldt-Universität zu Berlin", "Indiana University", "University of Leeds")  # fmt: skip
THESES = ("PhD thesis", "Ph.D. dissertation", "Master's thesis", "Dissertation")
REPORTS = ("Technical Report", "Tech. Rep.", "Working Paper", "Research Report", "Discussion Paper")
NEWSPAPERS = (
    "The New York Times",
    "The Guardian",
    "Le Monde",
    "Frankfurter Allgemeine Zeitung",
    "The Economist",
    "El País",
    "Washington Post",
    "BBC News",
)
GROUPS = ("World Health Organization", "European Commission", "National Institutes of Health", "OECD", "UNESCO", "Statistics Canada", "U.S. Department of Energy",
          "American Psychiatric Association", "International Energy Agency", "Bundesamt für Statistik", "The R Core Team", "UNDP", "House of Commons", "Greenpeace International",
          "The ATLAS Collaboration", "CMS Collaboration", "LIGO Scientific Collaboration", "Open Data Collaboration", "Diabetes Control Research Group", "Human Genome Sequencing Consortium",
          "Python Software Foundation", "Mozilla Foundation", "Apache Software Foundation", "Intergovernmental Panel on Climate Change")  # fmt: skip
SITES = (
    "CNN",
    "Wikipedia",
    "GitHub",
    "Python Documentation",
    "MDN Web Docs",
    "Our World in Data",
    "Stack Overflow",
    "BBC",
    "Zenodo",
    "Reuters",
    "Stanford Encyclopedia of Philosophy",
    "arXiv Info",
)
PAGE_TITLES = ("Data structures", "About us", "Climate change: Evidence and causes", "How to cite this page", "Annual report 2019", "Malaria (fact sheet)", "Using promises", "Frequently asked questions",
               "COVID-19 (novel coronavirus) dashboard", "Is it safe to travel? What we know", "Getting started with the interface", "Population by age and sex, 2010–2020", "About this archive")  # fmt: skip
HUMANE = """The {a} of {b}: {c} in {d}|{a} and {b} in {d}|The Making of {d} {a}|On the {a} of {b}|{b} after {c}: Essays on {a}|A Short History of {b}|{a}, {b}, and {c}|Rethinking {b}
Introduction|Review of {b} and {c}|{b} in the Age of {c}|Between {b} and {c}|What Is {b}?|An Introduction to {b}|The {a} of {b}|Towards a Theory of {b}|{b} Revisited|{b} und {c}: Studien zur {e}
Zur {e} der {f}|{e} und {f} im 19. Jahrhundert|Die {e} der {f}: Eine Einführung|Einführung in die {e} der {f}|La {g} et la {h}: essai sur la {g}|Histoire de la {g} en France|Les enjeux de la {h} au XXe siècle
L'invention de la {g}|La {i} de la {j} en América Latina|Historia de la {i}|{i} y {j}: una introducción|A {j2} da {i2} no Brasil|Storia della {k}""".replace(
    "\n", "|"
).split("|")
WORDS = {
    "a": ["Politics", "Origins", "Rise", "Fall", "Structure", "Idea", "Rhetoric", "Economy", "Limits", "Crisis", "Logic", "Ethics", "Poetics", "Transformation", "Sociology"],
    "b": ["Memory", "Modernity", "Language", "Empire", "Religion", "Justice", "Power", "Labour", "Citizenship", "Gender", "Knowledge", "Literature", "Capitalism", "Democracy", "Art", "Law"],
    "c": ["Nation", "Identity", "Violence", "War", "Freedom", "Reason", "Desire", "Tradition", "Science", "Migration", "Property", "Culture"],
    "d": ["Postwar Germany", "Early Modern England", "Nineteenth-Century France", "Colonial India", "Ancient Rome", "Renaissance Italy", "the Soviet Union", "Latin America", "Victorian Britain", "Medieval Europe"],
    "e": ["Geschichte", "Theorie", "Soziologie", "Kritik", "Philosophie", "Entwicklung", "Struktur"],
    "f": ["Öffentlichkeit", "Sprache", "Wissenschaft", "Gesellschaft", "Moderne", "Aufklärung", "Verwaltung", "Literatur"],
    "g": ["mémoire", "société", "langue", "démocratie", "pauvreté", "laïcité", "culture"],
    "h": ["nation", "ville", "santé", "famille", "république", "justice"],
    "i": ["democracia", "educación", "historia", "identidad", "pobreza", "modernidad"],
    "j": ["ciudadanía", "política", "memoria", "economía", "nación"],
    "j2": ["política", "história", "formação", "crise"],
    "i2": ["educação", "saúde", "cultura", "democracia"],
    "k": ["letteratura italiana", "filosofia moderna", "lingua italiana"],
}  # fmt: skip
SHORT_WORDS = {
    "Journal": "J.", "International": "Int.", "Review": "Rev.", "American": "Am.", "European": "Eur.", "British": "Br.", "Annals": "Ann.", "Annual": "Annu.",
    "Research": "Res.", "Science": "Sci.", "Sciences": "Sci.", "Medicine": "Med.", "Medical": "Med.", "Clinical": "Clin.", "Physics": "Phys.", "Physical": "Phys.",
    "Chemistry": "Chem.", "Chemical": "Chem.", "Biology": "Biol.", "Biological": "Biol.", "Society": "Soc.", "Proceedings": "Proc.", "National": "Natl.", "Academy": "Acad.",
    "Transactions": "Trans.", "Letters": "Lett.", "Applied": "Appl.", "Engineering": "Eng.", "Psychology": "Psychol.", "Psychiatry": "Psychiatry", "Molecular": "Mol.",
    "Experimental": "Exp.", "Theoretical": "Theor.", "Mathematics": "Math.", "Mathematical": "Math.", "Economics": "Econ.", "Economic": "Econ.", "Quarterly": "Q.",
    "Bulletin": "Bull.", "Materials": "Mater.", "Communications": "Commun.", "Environmental": "Environ.", "Immunology": "Immunol.", "Surgery": "Surg.", "Studies": "Stud.",
    "Computer": "Comput.", "Computing": "Comput.", "Systems": "Syst.", "Technology": "Technol.", "Public": "Public", "Health": "Health", "General": "Gen.", "Nuclear": "Nucl.",
    "Advances": "Adv.", "Archives": "Arch.", "Magazine": "Mag.", "Microbiology": "Microbiol.", "Neuroscience": "Neurosci.", "Endocrinology": "Endocrinol.",
}  # fmt: skip
SMALL_WORDS = frozenset(
    {"of", "the", "and", "for", "in", "on", "&", "a", "an", "de", "der", "für", "et"}
)
FAR_PEOPLE = {
    "zh": ("王小红 李华 张伟 刘洋 陈静 赵敏 周杰 吴磊", "深度 方法 研究 综述 模型 算法 中国 经济 教育 发展 社会 图像 识别 网络", "计算机科学 软件导刊 社会学研究 物理学报 自动化学报 中国社会科学", "科学出版社 人民出版社 商务印书馆"),
    "ja": ("山田太郎 佐藤花子 鈴木一郎 高橋健 田中実", "日本 社会 研究 言語 教育 こころ 分析 の 歴史 について", "情報処理学会論文誌 社会学評論 物性研究", "岩波書店 講談社 東京大学出版会"),
    "ko": ("김철수 이영희 박지성 최민수", "한국 사회 연구 교육 모형 분석", "한국사회학 정보과학회논문지", "민음사 창비"),
    "ru": ("Иванов_И._И. Петров_А._В. Сидорова_Е._П. Кузнецов_Д._С.", "анализ теория методы развитие России системы культуры история общества", "Вестник_МГУ Вопросы_философии Успехи_физических_наук", "Наука Мысль Прогресс"),
    "ar": ("محمد_علي أحمد_حسن فاطمة_الزهراء", "دراسة في تاريخ الأدب العربي الحديث التعليم اللغة", "مجلة_الآداب مجلة_العلوم", "دار_المعارف دار_الشروق"),
}  # fmt: skip
